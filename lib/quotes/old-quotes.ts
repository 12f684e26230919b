import type { Database } from '../platform/db/database'
import { SLICE } from '../platform/db/delete-in-slices'
import { statement } from '../platform/db/statement'
import { runEvery } from '../platform/run-every'

const EVERY_MS = 60 * 60_000
/** Of one run, so that a start with years of quotes reads them in the course of a day. */
const MAX_SLICES = 100

/** The last quote that was read. */
interface Place {
  readonly ended: string
  readonly id: bigint
}
const BEGINNING: Place = { ended: '-infinity', id: 0n }

/** The oldest quotes after the given one. The database refuses the deletion of any that this statement should have left out. */
const FORGET = statement<Place & { readonly looked: number; readonly gone: number }>(
  'forget_quotes',
  `with old as materialized (
           select id, expires_at, payment_hash, uma_invoice_uuid from quotes
           where expires_at < now() - interval '30 days' and (expires_at, id) > ($1::timestamptz, $2::bigint)
           order by expires_at, id limit ${SLICE} for update skip locked),
         unused as (
           delete from quotes q where q.id = any (array(
             select old.id from old
             where old.uma_invoice_uuid is null
               and not exists (select from payments p where p.quote_id = old.id offset 0)
               and not exists (select from payments p where p.payment_hash = old.payment_hash offset 0)
               and not exists (select from address_payment_keys k where k.payment_hash = old.payment_hash offset 0)))
           returning q.id)
         select id, expires_at::text as ended, count(*) over ()::int as looked, (select count(*)::int from unused) as gone
         from old order by expires_at desc, id desc limit 1`,
)

/**
 * Deletes quotes that nobody used, thirty days after they expired. Returns their number and the position for the next call: quotes
 * that stay are read once.
 */
export async function forgetQuotes(
  db: Database,
  from: Place = BEGINNING,
): Promise<{ readonly gone: number; readonly until: Place }> {
  let [until, gone] = [from, 0]
  for (let slices = 0; slices < MAX_SLICES; slices++) {
    const [row] = await db.query(FORGET, [until.ended, until.id])
    if (row === undefined) break
    gone += row.gone
    until = { ended: row.ended, id: row.id }
    if (row.looked < SLICE) break
  }
  return { gone, until }
}

/** Deletes now, and then every hour. */
export function scheduleQuoteCleanup(db: Database, onError: (error: unknown) => void): void {
  let from = BEGINNING
  const forget = async (): Promise<void> => {
    from = (await forgetQuotes(db, from)).until
  }
  runEvery(EVERY_MS, forget, onError)()
}
