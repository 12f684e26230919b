import type { Database } from '../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../platform/db/delete-in-slices'
import {
  beginningAt,
  forgetEveryHour,
  forgetInOrder,
  type Forgotten,
  type Place,
  type Slice,
} from '../platform/db/forget-in-order'
import { statement } from '../platform/db/statement'

const BEGINNING = beginningAt('')

/**
 * The connections that ended first, after the given one. `between`, and the order of the index, leave the planner that index only: it
 * would read all payments of a database where most belong to few connections.
 */
const LOOK = statement<Place<string> & { readonly unused: boolean }>(
  'old_connections',
  `select c.id, least(c.revoked_at, c.expires_at)::text as ended,
          (select p.id from payments p where p.connection_id between c.id and c.id
           order by p.connection_id, p.created_at desc, p.id desc limit 1) is null as unused
   from connections c
   where least(c.revoked_at, c.expires_at) < now() - interval '90 days'
     and (least(c.revoked_at, c.expires_at), c.id) > ($1::timestamptz, $2::text)
   order by least(c.revoked_at, c.expires_at), c.id limit ${SLICE}`,
)

/** No one can repeat a key of these connections. */
const KEYS = statement<Deleted>(
  'forget_payment_keys',
  deletion(
    'address_payment_keys',
    'ctid',
    `select k.ctid from unnest($1::text[]) as asked (id)
     cross join lateral (select ctid from address_payment_keys where connection_id between asked.id and asked.id
                         order by connection_id, idempotency_key for update skip locked) k
     limit ${SLICE}`,
  ),
)
/** Those that a key kept until now. */
const QUOTES = statement<Deleted>(
  'forget_quotes_of_connections',
  deletion(
    'quotes',
    'id',
    `select old.id from unnest($1::text[]) as asked (id)
     cross join lateral (
       select q.id from quotes q
       where q.connection_id between asked.id and asked.id and q.expires_at < now() - interval '30 days' and q.uma_invoice_uuid is null
         and not exists (select from payments p where p.quote_id = q.id offset 0)
         and not exists (select from payments p where p.payment_hash = q.payment_hash offset 0)
         and not exists (select from address_payment_keys k where k.payment_hash = q.payment_hash offset 0)
       order by q.connection_id, q.expires_at for update skip locked) old
     limit ${SLICE}`,
  ),
)
const FORGET = statement<Deleted>('forget_connections', 'select forget_connections($1::text[]) as count')

/**
 * Deletes connections that made no payment, ninety days after they ended, with their idempotency keys, the quotes of these, and the
 * logins that have no connection left.
 */
export async function forgetConnections(
  db: Database,
  from: Place<string> = BEGINNING,
): Promise<Forgotten<Place<string>>> {
  return forgetInOrder(from, (after) => forgetSlice(db, after))
}

async function forgetSlice(db: Database, after: Place<string>): Promise<Slice<string> | undefined> {
  const found = await db.query(LOOK, [after.ended, after.id])
  const last = found.at(-1)
  if (last === undefined) return undefined
  const { ended, id } = last
  const ids = found.filter(({ unused }) => unused).map((each) => each.id)
  if (ids.length === 0) return { ended, id, looked: found.length, gone: 0 }
  await deleteInSlices(db, KEYS, [ids])
  await deleteInSlices(db, QUOTES, [ids])
  const [forgotten] = await db.query(FORGET, [ids])
  return { ended, id, looked: found.length, gone: forgotten?.count ?? 0 }
}

/** Deletes now, and then every hour. */
export function scheduleConnectionCleanup(db: Database, onError: (error: unknown) => void): void {
  forgetEveryHour(BEGINNING, (from) => forgetConnections(db, from), onError)
}
