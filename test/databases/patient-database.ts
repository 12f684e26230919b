import { makeConcurrencyLimiter } from '@/lib/platform/concurrency/concurrency-limiter'
import type { Database } from '@/lib/platform/db/database'
import { openPostgres } from '@/lib/platform/db/postgres'

/** As many statements as the pool has connections. */
const AT_ONCE = 10
/** A busy machine needs more than production's two seconds to open ten connections at the same time. */
const CONNECT_TIMEOUT_MS = 60_000

/**
 * A real server for calls that no server limit protects: of sixty concurrent calls, as many statements run as in
 * production, and the others queue here. In the pool, the others would fail after two seconds with "the database does not
 * answer", which on a busy machine shows only that the machine is busy.
 */
export async function openPatiently(databaseUrl: string): Promise<Database> {
  const db = await openPostgres(databaseUrl, { log: () => {} }, CONNECT_TIMEOUT_MS)
  const turns = makeConcurrencyLimiter({ maxConcurrent: AT_ONCE, maxQueued: Infinity })
  return { ...db, query: (statement, params) => turns.run(() => db.query(statement, params)) }
}
