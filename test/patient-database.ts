import { openDatabase, type Database } from '@/lib/platform/db/database'
import { makeConcurrencyLimiter } from '@/lib/platform/concurrency/concurrency-limiter'

/** As many statements as the pool has connections. */
const AT_ONCE = 10

/**
 * A real server for calls that no server's own limits stand before: where sixty are made at once, as many statements as
 * ever meet in the database, and those that are left wait here. In the pool they would be told after two seconds that
 * the database does not answer, which on a busy machine is about the machine.
 */
export async function openPatiently(databaseUrl: string): Promise<Database> {
  const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
  const turns = makeConcurrencyLimiter({ maxConcurrent: AT_ONCE, maxQueued: Infinity })
  return { ...db, query: (statement, params) => turns.run(() => db.query(statement, params)) }
}
