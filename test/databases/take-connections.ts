import type { Database } from '@/lib/platform/db/database'

/** The size of a server's pool. */
const CONNECTIONS = 10

/** Takes every connection of the pool. Returns the function that gives them back. */
export async function takeConnections(db: Database): Promise<() => Promise<void>> {
  let giveBack = (): void => {}
  const given = new Promise<void>((resolve) => (giveBack = resolve))
  const taken: Promise<void>[] = []
  const all = Array.from({ length: CONNECTIONS }, () => {
    return new Promise<void>((begun) =>
      taken.push(db.prisma.$transaction(() => (begun(), given), { maxWait: 60_000, timeout: 60_000 })),
    )
  })
  await Promise.all(all)
  return async () => {
    giveBack()
    await Promise.all(taken)
  }
}
