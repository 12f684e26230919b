/** A longer statement has a log line of its own. */
const SLOW_MS = 1_000

/** Receives the name of a statement that took over a second, never its parameters. */
export type OnSlowStatement = (name: string, ms: number) => void

/** Prisma's statements have no names. */
export const PRISMA = 'prisma'

/** Starts to time a statement. The returned function ends it. */
export function timeStatement(name: string, onSlow: OnSlowStatement): () => void {
  const startedAt = performance.now()
  return () => {
    const ms = performance.now() - startedAt
    if (ms > SLOW_MS) onSlow(name, Math.round(ms))
  }
}
