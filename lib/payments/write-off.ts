import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { tracePayment } from '../platform/trace'
import { OPEN_COLUMNS, toTracked, type OpenPayment, type WorkerPorts } from './open-payment'
import { paymentEvent, recordAnswer, type EventPorts } from './payment-events'
import { finalize } from './settle'

/** A pending payment to another node, as the operator sees it. */
export interface OutgoingPaymentSummary {
  readonly id: bigint
  readonly paymentHash: string
  readonly username: string
  /** Public key of the node account that the payment goes through, hex. */
  readonly peer: string
  readonly amountMsats: bigint
  readonly state: string
  readonly createdAt: Date
}

export const MAX_LISTED = 1_000
const LIST = statement<OutgoingPaymentSummary>(
  'list_open_payments',
  `select id, payment_hash as "paymentHash", user_id as username, node_key as peer, amount_msats as "amountMsats", state,
                created_at as "createdAt"
         from payments
         where state in ('held', 'sending') and node_key is not null order by id limit ${MAX_LISTED}`,
)

/** The open payments to other nodes, the oldest first, at most `MAX_LISTED`. */
export async function listOutgoingPayments(db: Database): Promise<OutgoingPaymentSummary[]> {
  return db.query(LIST)
}

export interface WriteOff {
  readonly paymentHash: string
  /** The operator and the reason; both are stored. */
  readonly by: string
  readonly because: string
}

/**
 * `failed`: the hold was released; `unknown`: no payment to another node has this hash; `ended`: the payment has already ended;
 * `peer`: the node can still be asked; `leased`: a process is working on the payment.
 */
export type WriteOffOutcome = 'failed' | 'unknown' | 'ended' | 'peer' | 'leased'

const WRITE_OFF = statement<{
  outcome: WriteOffOutcome
  payment_id: bigint | null
  user_id: string | null
  connection_id: string | null
  amount_msats: bigint | null
}>(
  'write_off_payment',
  `select w.outcome, w.payment_id, p.user_id, p.connection_id, p.amount_msats
         from write_off_payment($1, $2::text[], $3, $4) w left join payments p on p.id = w.payment_id`,
)

/**
 * Fails a payment whose node is permanently gone, and releases its hold. If the node reports a success later, the operator bears the
 * loss. The event names neither the operator nor the reason: they are not for the user.
 */
export async function writeOffPayment(
  { db, events }: { readonly db: Database } & Partial<EventPorts>,
  peers: readonly string[],
  { paymentHash, by, because }: WriteOff,
): Promise<{ readonly outcome: WriteOffOutcome; readonly paymentId: bigint | null }> {
  const [row] = await db.query(WRITE_OFF, [paymentHash, peers, by, because])
  if (row === undefined) throw new Error('write_off_payment returned no row')
  const { user_id: username, connection_id: connectionId, amount_msats: amountMsats } = row
  if (row.outcome === 'failed' && username !== null && amountMsats !== null)
    events?.record(paymentEvent('payment written off', { username, connectionId, paymentHash, amountMsats }))
  return { outcome: row.outcome, paymentId: row.payment_id }
}

const MAX_TRACKED = 20
const WRITTEN_OFF = statement<OpenPayment>(
  'decided_payments',
  `select ${OPEN_COLUMNS} from payment_write_offs d join payments p on p.id = d.payment_id
         where d.resolved_at is null and p.node_key = any($1::text[]) and d.payment_id > $2 order by d.payment_id limit ${MAX_TRACKED}`,
)
const RESOLVE = statement(
  'resolve_write_off',
  `update payment_write_offs set resolved_at = now() where payment_id = $1 and resolved_at is null`,
)

/**
 * Asks the node about up to twenty written-off payments with an id above `after` whose account is configured again. A
 * final answer is booked, and the node is not asked about that payment again. Returns the id to continue from, so that unanswered
 * payments do not block the rest.
 */
export async function trackWrittenOff(ports: WorkerPorts, after: bigint): Promise<bigint> {
  const rows = await ports.db.query(WRITTEN_OFF, [ports.node.accounts, after])
  for (const payment of rows) {
    await tracePayment(payment, () => trackOne(ports, payment)).catch((error: unknown) =>
      ports.log.error({ error, payment: String(payment.id) }, 'a written-off payment could not be tracked'),
    )
  }
  return rows.length < MAX_TRACKED ? 0n : (rows.at(-1)?.id ?? 0n)
}

async function trackOne(ports: WorkerPorts, payment: OpenPayment): Promise<void> {
  const answered = ports.node.track(toTracked(payment))
  const ended = await finalize(
    ports,
    payment,
    await recordAnswer(ports, 'result requested from the node', payment, answered),
  )
  if (ended !== undefined) await ports.db.query(RESOLVE, [payment.id])
}
