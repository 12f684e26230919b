import type { Database } from '../db/database'
import { sqlState } from '../db/sql-state'
import type { Paid } from './bill'
import { joinEarlier, type Asked, type Underway } from './earlier'

/** `lock_timeout` has ended a statement, which has changed nothing. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Runs a payment. When a lock was not granted in time, a copy of the payment may have held it: the payment joins that copy
 * where there is one. The look-up takes no lock, so a caller without a copy gets the error after one `lock_timeout`, not two.
 */
export async function orJoinEarlier(
  db: Database,
  asked: Asked,
  run: () => Promise<Paid | Underway>,
): Promise<Paid | Underway> {
  try {
    return await run()
  } catch (error) {
    const earlier = sqlState(error) === LOCK_NOT_AVAILABLE ? await joinEarlier(db, asked) : undefined
    if (earlier === undefined) throw error
    return earlier
  }
}
