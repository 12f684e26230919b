import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** As many as go in one statement without keeping anybody waiting. */
const MOST_AT_ONCE = 5_000
const EVERY_MS = 60 * 60_000

const FORGET = statement<{ count: number }>(
  'forget_refusals',
  `with gone as (
           delete from lightning_node.receipts where id in (
             select id from lightning_node.receipts
             where state = 'refused' and created_at < now() - interval '25 hours'
             order by created_at limit ${MOST_AT_ONCE})
           returning 1)
         select count(*)::int as count from gone`,
)

/**
 * Deletes refusals that are a day old. They are kept for calls that were delayed on their way, and one that is older than
 * some minutes is refused by its timestamp, and by its deadline, in any case. Who asks about such an old payment is told
 * that it never arrived, as before. Gives how many went.
 */
export async function forgetOldRefusals(db: Database): Promise<number> {
  for (let gone = 0; ;) {
    const [row] = await db.query(FORGET)
    gone += row?.count ?? 0
    if ((row?.count ?? 0) < MOST_AT_ONCE) return gone
  }
}

/** Now, and from then on every hour. */
export function keepForgettingRefusals(db: Database, onError: (error: unknown) => void): void {
  const forget = (): void => void forgetOldRefusals(db).catch(onError)
  forget()
  setInterval(forget, EVERY_MS).unref()
}
