import type { Database } from '../../platform/db/database'
import { SLICE } from '../../platform/db/delete-in-slices'
import {
  beginningAt,
  forgetEveryHour,
  forgetInOrder,
  type Forgotten,
  type Place,
  type Slice,
} from '../../platform/db/forget-in-order'
import { statement } from '../../platform/db/statement'

const BEGINNING = beginningAt(0n)

/**
 * The oldest rows after the given one. Invoices are deleted first, because the database allows this only while their
 * request exists.
 */
const FORGET = statement<Slice>(
  'forget_unpaid_requests',
  `with old as materialized (
           select id, expires_at, payment_hash from invoices
           where settled_at is null and fixed_credit is not null and expires_at < now() - interval '25 hours'
             and (expires_at, id) > ($1::timestamptz, $2::bigint)
           order by expires_at, id limit ${SLICE} for update skip locked),
         unpaid as (
           delete from invoices i where i.id = any (array(
             select old.id from old
             where exists (select from uma_pay_requests r
                           where r.invoice_id = old.id and r.protocol = 'lnurl' and r.uma_invoice_id is null offset 0)
               and not exists (select from payments p where p.payment_hash = old.payment_hash offset 0)
               and not exists (select from quotes q where q.payment_hash = old.payment_hash offset 0)))
           returning i.id),
         asked as (delete from uma_pay_requests where invoice_id = any (array(select id from unpaid)))
         select id, expires_at::text as ended, count(*) over ()::int as looked, (select count(*)::int from unpaid) as gone
         from old order by expires_at desc, id desc limit 1`,
)

/**
 * Deletes unpaid unsigned requests that no user of this VASP has tried to pay and that expired more than a day ago: all of them in one
 * run, because any client can send any number. `lib/invoices/old-invoices.ts` deletes those that a VASP signed.
 */
export async function forgetUnpaid(db: Database, from: Place = BEGINNING): Promise<Forgotten<Place>> {
  return forgetInOrder(from, async ({ ended, id }) => (await db.query(FORGET, [ended, id]))[0], Infinity)
}

/** Deletes now, and then every hour. */
export function scheduleUnpaidCleanup(db: Database, onError: (error: unknown) => void): void {
  forgetEveryHour(BEGINNING, (from) => forgetUnpaid(db, from), onError)
}
