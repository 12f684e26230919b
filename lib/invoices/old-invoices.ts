import type { LightningNode } from '../lightning/node'
import type { Database } from '../platform/db/database'
import { SLICE, type Deleted } from '../platform/db/delete-in-slices'
import {
  beginningAt,
  forgetEveryHour,
  forgetInOrder,
  type Forgotten,
  type Place,
  type Slice,
} from '../platform/db/forget-in-order'
import { statement, type Statement } from '../platform/db/statement'

interface Ports {
  readonly db: Database
  readonly node: Pick<LightningNode, 'cancelInvoice'>
}

interface Found extends Place {
  readonly paymentHash: string
  readonly unused: boolean
}

/** The oldest unpaid invoices after the given one. The database refuses the deletion of any that is used. */
const unpaid = (kind: 'own' | 'requested', fixedCredit: 'null' | 'not null', age: string): Statement<Found> =>
  statement<Found>(
    `unpaid_${kind}_invoices`,
    `select i.id, i.expires_at::text as ended, i.payment_hash as "paymentHash",
            not exists (select from payments p where p.payment_hash = i.payment_hash offset 0)
            and not exists (select from quotes q where q.payment_hash = i.payment_hash offset 0)
            and not exists (select from incoming_payments r where r.payment_hash = i.payment_hash offset 0)
            and not exists (select from uma_pay_requests r where r.invoice_id = i.id and r.uma_invoice_id is not null offset 0) as unused
     from invoices i
     where i.settled_at is null and i.fixed_credit is ${fixedCredit} and i.expires_at < now() - interval '${age}'
       and (i.expires_at, i.id) > ($1::timestamptz, $2::bigint)
     order by i.expires_at, i.id limit ${SLICE}`,
  )
/** What a user created, and what another VASP requested: a day later than the quotes of our own users, which name theirs. */
const KINDS = [unpaid('own', 'null', '30 days'), unpaid('requested', 'not null', '31 days')]

/** A row that is locked is left: another instance deletes it. */
const FORGET = statement<Deleted>(
  'forget_invoices',
  `with old as materialized (select id, settled_at from invoices where id = any ($1::bigint[]) for update skip locked),
   gone as (delete from invoices where id = any (array(select id from old where settled_at is null)) returning id),
   asked as (delete from uma_pay_requests where invoice_id = any (array(select id from gone)))
   select count(*)::int as count from gone`,
)

/** One for each of `KINDS`. */
type Places = readonly Place[]
const BEGINNING: Places = KINDS.map(() => beginningAt(0n))

/**
 * Deletes unpaid invoices that nothing names, thirty days after they expired. The node cancels each before, so that no other node can
 * pay it any more. The invoices of a node without `cancelInvoice` are these rows: it refuses a payment of a deleted one as unknown.
 * @throws Error when the node or the database is not available.
 */
export async function forgetInvoices(ports: Ports, from: Places = BEGINNING): Promise<Forgotten<Places>> {
  const until: Place[] = []
  let gone = 0
  for (const [kind, look] of KINDS.entries()) {
    const done = await forgetInOrder(from[kind] ?? beginningAt(0n), (after) => forgetSlice(ports, look, after))
    gone += done.gone
    until.push(done.until)
  }
  return { gone, until }
}

async function forgetSlice({ db, node }: Ports, look: Statement<Found>, after: Place): Promise<Slice | undefined> {
  const found = await db.query(look, [after.ended, after.id])
  const last = found.at(-1)
  if (last === undefined) return undefined
  const ids: bigint[] = []
  for (const invoice of found)
    if (invoice.unused && (await node.cancelInvoice?.(invoice.paymentHash)) !== 'settled') ids.push(invoice.id)
  const gone = ids.length === 0 ? 0 : ((await db.query(FORGET, [ids]))[0]?.count ?? 0)
  return { ended: last.ended, id: last.id, looked: found.length, gone }
}

/** Deletes now, and then every hour. */
export function scheduleInvoiceCleanup(ports: Ports, onError: (error: unknown) => void): void {
  forgetEveryHour(BEGINNING, (from) => forgetInvoices(ports, from), onError)
}
