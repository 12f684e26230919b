import { runEvery } from '../run-every'
import type { Database } from './database'
import { statement } from './statement'

export const WRITE_CHECK_SECONDS = 60

/** False while another instance checks, or a backup reads the table: that instance, or the next minute, tells. */
const CHECK = statement<{ checked: boolean }>('check_writes', 'select check_writes() as checked')

/**
 * Stores one row a minute, so that a database without room is noticed before a user pays. `/-/ready` reports a refusal, which
 * the database handle remembers. The embedded database has no operator, and its disk is that of the user.
 */
export function scheduleWriteCheck(db: Pick<Database, 'kind' | 'query'>, onError: (error: unknown) => void): void {
  if (db.kind === 'postgres') runEvery(WRITE_CHECK_SECONDS * 1_000, () => checkWrites(db), onError)
}

/** @throws the database's error when it refuses the row. */
export async function checkWrites(db: Pick<Database, 'query'>): Promise<void> {
  await db.query(CHECK)
}
