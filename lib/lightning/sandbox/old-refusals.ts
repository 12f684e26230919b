import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** Rows that one statement deletes. */
const MAX_ROWS = 1_000
const EVERY_MS = 60 * 60_000

const FORGET = statement<{ count: number }>(
  'forget_refusals',
  `with gone as (
           delete from lightning_node.receipts where id = any (array(
             select id from lightning_node.receipts
             where state = 'refused' and created_at < now() - interval '25 hours'
             order by created_at limit ${MAX_ROWS}))
           returning 1)
         select count(*)::int as count from gone`,
)

/**
 * Deletes refusals older than 25 hours and returns their number. A refusal blocks a delayed copy of its call. A copy
 * older than a few minutes is rejected for its timestamp anyway. `track` of a deleted refusal answers `never-sent`.
 * @throws Error when the database is not available.
 */
export async function forgetOldRefusals(db: Database): Promise<number> {
  for (let gone = 0; ;) {
    const [row] = await db.query(FORGET)
    gone += row?.count ?? 0
    if ((row?.count ?? 0) < MAX_ROWS) return gone
  }
}

/** Deletes old refusals now and every hour while the process runs. */
export function keepForgettingRefusals(db: Database, onError: (error: unknown) => void): void {
  const forget = (): void => void forgetOldRefusals(db).catch(onError)
  forget()
  setInterval(forget, EVERY_MS).unref()
}
