/** SQL text, and the name under which the server keeps it prepared. */
export interface Statement<Row = Record<string, unknown>> {
  readonly name: string
  readonly text: string
  /** Exists as a type only, never as a value. */
  readonly row?: Row
}

/**
 * A statement whose rows have the type `Row`, or that returns no rows. Call `statement` at the top level of a module: a
 * test compares the row types of all loaded modules with the columns of their statements.
 */
export function statement<Row = never>(name: string, text: string): Statement<Row> {
  return { name, text }
}

/** A statement that takes longer has a log line of its own. */
export const SLOW_STATEMENT_MS = 1_000
/** Receives the name of a statement that took longer, never its parameters. */
export type OnSlowStatement = (name: string, ms: number) => void
/** Prisma's statements have no names. */
export const PRISMA = 'prisma'
