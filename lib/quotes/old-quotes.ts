import type { Database } from '../platform/db/database'
import { SLICE } from '../platform/db/delete-in-slices'
import {
  beginningAt,
  forgetEveryHour,
  forgetInOrder,
  type Forgotten,
  type Place,
  type Slice,
} from '../platform/db/forget-in-order'
import { statement } from '../platform/db/statement'

const BEGINNING = beginningAt(0n)

/** The oldest quotes after the given one. The database refuses the deletion of any that this statement should have left out. */
const FORGET = statement<Slice>(
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

/** Deletes quotes that nobody used, thirty days after they expired. */
export async function forgetQuotes(db: Database, from: Place = BEGINNING): Promise<Forgotten<Place>> {
  return forgetInOrder(from, async ({ ended, id }) => (await db.query(FORGET, [ended, id]))[0])
}

/** Deletes now, and then every hour. */
export function scheduleQuoteCleanup(db: Database, onError: (error: unknown) => void): void {
  forgetEveryHour(BEGINNING, (from) => forgetQuotes(db, from), onError)
}
