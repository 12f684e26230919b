import type { Statement } from '../db/database'
import type { NodeEvent } from '../lightning/node'
import { applyOutcome } from './end'
import { OPEN_COLUMNS, toOpenPayment, type OpenPayment, type OpenRow, type PaymentPorts } from './open-payment'
import { makeReceiver, sourceOf } from './receive'

/**
 * Books what the node tells by itself: once, however often and in whatever order it is told, and however late. Failures
 * of sends that this process is carrying are left to whoever carries them. A success is not: it may be the node taking back
 * a failure that is about to be booked, and it is told once.
 */
export async function onNodeEvent(
  ports: PaymentPorts,
  event: NodeEvent,
  carriedHere: (paymentId: bigint) => OpenPayment | undefined,
): Promise<void> {
  if (event.kind === 'position') return
  if (event.kind === 'received') return bookReceived(ports, event)
  const carried = carriedHere(event.sendId)
  if (carried === undefined) return bookSent(ports, event)
  if (event.outcome.kind !== 'succeeded') return
  // Nothing is settled that was not marked before it was sent; what is not marked here is looked up.
  await (ports.marked.has(carried.id) ? applyOutcome(ports, carried, event.outcome) : bookSent(ports, event))
}

const BOOKED: Statement = {
  name: 'is_receipt_booked',
  text: `select 1 as booked from incoming_payments where payment_hash = $1`,
}
const BOOK: Statement = {
  name: 'book_incoming_payment',
  text: `select book_incoming_payment($1, $2, $3, $4, $5::bigint[], $6::bigint[]) as outcome`,
}
const SUSPEND: Statement = {
  name: 'suspend_incoming_payment',
  text: `select suspend_incoming_payment($1, $2, $3, $4::bigint[], $5::bigint[]) as booked`,
}

type Received = Extract<NodeEvent, { kind: 'received' }>

/** The money is with our node, so it is booked in any case: to an open invoice, expired or not, or for a person to look at. */
async function bookReceived(ports: PaymentPorts, event: Received): Promise<void> {
  const { paymentHash, amountMsats, account } = event
  const [booked] = await ports.db.query(BOOKED, [paymentHash])
  if (booked !== undefined) return
  const plan = await makeReceiver(ports, ports.node.identity.publicKeyHex).planCredit(event)
  if (!('failure' in plan)) {
    const { credited, lines } = plan
    const ids = lines.map(({ accountId }) => accountId)
    const amounts = lines.map(({ amount }) => amount)
    const params = [paymentHash, account ?? null, amountMsats, credited, ids, amounts]
    const [row] = await ports.db.query<{ outcome: string }>(BOOK, params)
    if (row?.outcome === 'credited' || row?.outcome === 'known') return
  }
  const ids = [sourceOf(ports, event), ports.house('suspense', 'SAT')]
  const suspended = [paymentHash, account ?? null, amountMsats, ids, [-amountMsats, amountMsats]]
  const [row] = await ports.db.query<{ booked: boolean }>(SUSPEND, suspended)
  if (row?.booked === true) {
    ports.log.error({ paymentHash, amountMsats: String(amountMsats) }, 'money came in that belongs to nobody: it waits')
  }
}

const BY_ID: Statement = {
  name: 'payment_by_id',
  text: `select ${OPEN_COLUMNS} from payments p where p.id = $1 and p.node_key is not null and p.state <> 'held'`,
}

async function bookSent(ports: PaymentPorts, event: Extract<NodeEvent, { kind: 'sent' }>): Promise<void> {
  const [row] = await ports.db.query<OpenRow>(BY_ID, [event.sendId])
  if (row !== undefined) await applyOutcome(ports, toOpenPayment(row), event.outcome)
}
