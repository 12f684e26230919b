import type { CreditPlan } from '../lightning/credit-planner'
import type { LightningNode, NodeEvent } from '../lightning/node'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { OPEN_COLUMNS, type OpenPayment, type WorkerPorts } from './open-payment'
import { receivedEvent } from './payment-events'
import { makeCreditPlanner, sourceOf } from './receive'
import { finalize } from './settle'

/**
 * Books each node event once, however often and in whatever order events arrive. Failures of sends in progress are handled by
 * `sendPayment`. Their successes are booked here too: one may contradict a failure that `sendPayment` is about to record. The cursor is
 * saved after the booking, so a crash in between repeats the event.
 */
export async function onNodeEvent(
  ports: WorkerPorts,
  event: NodeEvent,
  sendInProgress: (paymentId: bigint) => OpenPayment | undefined,
): Promise<void> {
  switch (event.kind) {
    case 'received':
      if (event.isBooked !== true) await bookReceived(ports, event)
      if (event.cursor !== undefined) await saveCursor(ports, event.cursor)
      return
    case 'position':
      return saveCursor(ports, event.cursor)
    case 'sent':
      return bookSent(ports, event, sendInProgress(event.sendId))
  }
}

const BOOKED = statement<{ booked: number }>(
  'is_incoming_payment_booked',
  `select 1 as booked from incoming_payments where payment_hash = $1`,
)
const BOOK = statement<{ outcome: string }>(
  'book_incoming_payment',
  `select book_incoming_payment($1, $2, $3, $4, $5::bigint[], $6::bigint[]) as outcome`,
)
const BOOK_KEYSEND = statement<{ outcome: string }>(
  'book_incoming_keysend',
  `select book_incoming_keysend($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10::bigint[], $11::bigint[]) as outcome`,
)
const SUSPEND = statement<{ booked: boolean }>(
  'suspend_incoming_payment',
  `select suspend_incoming_payment($1, $2, $3, $4::bigint[], $5::bigint[]) as booked`,
)

type Received = Extract<NodeEvent, { kind: 'received' }>

/** Our node has the money, so it is always booked: to a wallet, or to suspense for an operator to review. */
async function bookReceived(ports: WorkerPorts, event: Received): Promise<void> {
  const { paymentHash, amountMsats, account } = event
  const [booked] = await ports.db.query(BOOKED, [paymentHash])
  if (booked !== undefined) return
  const plan = await makeCreditPlanner(ports, ports.node.identity.publicKeyHex).planCredit(event)
  if (!('failure' in plan) && (await credit(ports, event, plan))) return
  const ids = [sourceOf(ports, event), ports.house('suspense', 'SAT')]
  const suspended = [paymentHash, account ?? null, amountMsats, ids, [-amountMsats, amountMsats]]
  const [row] = await ports.db.query(SUSPEND, suspended)
  if (row?.booked === true) {
    ports.log.error(
      { paymentHash, amountMsats: String(amountMsats) },
      'received money that no wallet can be credited with: it waits in suspense',
    )
  }
}

/** False when the wallet cannot be credited: the invoice was settled internally, or the hash was used before. */
async function credit({ db, events }: WorkerPorts, event: Received, plan: CreditPlan): Promise<boolean> {
  const { paymentHash, amountMsats, account, keysend } = event
  const { username, credited, lines } = plan
  const received = receivedEvent({ username, paymentHash, amountMsats }, keysend !== undefined)
  const ids = lines.map(({ accountId }) => accountId)
  const amounts = lines.map(({ amount }) => amount)
  if (keysend === undefined) {
    const params = [paymentHash, account ?? null, amountMsats, credited, ids, amounts]
    const [row] = await db.query(BOOK, params)
    if (row?.outcome === 'credited') events.record(received)
    return row?.outcome === 'credited' || row?.outcome === 'known'
  }
  const { walletId, description, metadata } = plan
  const shown = metadata == null ? null : JSON.stringify(metadata)
  const whose = [username, walletId, description, shown]
  const params = [paymentHash, keysend.preimage, account ?? null, amountMsats, ...whose, credited, ids, amounts]
  const [row] = await db.query(BOOK_KEYSEND, params)
  if (row?.outcome === 'credited') events.record(received)
  return row?.outcome === 'credited'
}

const BY_ID = statement<OpenPayment>(
  'payment_by_id',
  `select ${OPEN_COLUMNS} from payments p where p.id = $1 and p.node_key is not null and p.state <> 'held'`,
)

async function bookSent(
  ports: WorkerPorts,
  { sendId, outcome }: Extract<NodeEvent, { kind: 'sent' }>,
  inProgress: OpenPayment | undefined,
): Promise<void> {
  if (inProgress !== undefined && outcome.kind !== 'succeeded') return
  // Only a payment whose `sending` is committed may be settled: `marked` shows this without a query.
  if (inProgress !== undefined && ports.marked.has(sendId)) return void (await finalize(ports, inProgress, outcome))
  const [row] = await ports.db.query(BY_ID, [sendId])
  if (row !== undefined) await finalize(ports, row, outcome)
}

const READ = statement<{ cursor: string }>(
  'read_lightning_cursor',
  'select cursor from lightning_cursors where node_key = $1',
)
const SAVE = statement(
  'save_lightning_cursor',
  `insert into lightning_cursors (node_key, cursor) values ($1, $2)
         on conflict (node_key) do update set cursor = excluded.cursor`,
)

interface CursorPorts {
  readonly db: Database
  readonly node: Pick<LightningNode, 'identity'>
}

/** The position at which the node's events continue after a restart; undefined before the first event. */
export async function readCursor({ db, node }: CursorPorts): Promise<string | undefined> {
  const [row] = await db.query(READ, [node.identity.publicKeyHex])
  return row?.cursor
}

async function saveCursor({ db, node }: CursorPorts, cursor: string): Promise<void> {
  await db.query(SAVE, [node.identity.publicKeyHex, cursor])
}
