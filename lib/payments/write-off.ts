import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { applyOutcome } from './settle'
import {
  OPEN_COLUMNS,
  toOpenPayment,
  toTracked,
  type OpenPayment,
  type OpenRow,
  type WorkerPorts,
} from './open-payment'

/** A payment to another node that has not ended. */
export interface OpenOne {
  readonly id: bigint
  readonly paymentHash: string
  readonly username: string
  /** Public key of the node that it leaves to, hex. */
  readonly peer: string
  readonly amountMsats: bigint
  readonly state: string
  readonly createdAt: Date
}

interface ListedRow {
  readonly id: bigint
  readonly payment_hash: string
  readonly user_id: string
  readonly node_key: string
  readonly amount_msats: bigint
  readonly state: string
  readonly created_at: Date
}

const LIST = statement<ListedRow>(
  'list_open_payments',
  `select id, payment_hash, user_id, node_key, amount_msats, state, created_at from payments
         where state in ('held', 'sending') and node_key is not null order by id limit 1000`,
)

/** Those that wait for other nodes, the oldest first, a thousand at most. */
export async function readOpenPayments(db: Database): Promise<OpenOne[]> {
  return (await db.query(LIST)).map((row) => ({
    id: row.id,
    paymentHash: row.payment_hash,
    username: row.user_id,
    peer: row.node_key,
    amountMsats: row.amount_msats,
    state: row.state,
    createdAt: row.created_at,
  }))
}

export interface Abandonment {
  readonly paymentHash: string
  /** Who decides, and why: both are kept. */
  readonly by: string
  readonly because: string
}

/**
 * `failed`: its hold was given back; `unknown`: no payment to another node has this hash; `ended`: it has ended before; `peer`:
 * its node is in the settings, so that it may still say what became of it; `leased`: a process acts on it this moment.
 */
export type Abandoned = 'failed' | 'unknown' | 'ended' | 'peer' | 'leased'

const ABANDON = statement<{ outcome: Abandoned; payment_id: bigint | null }>(
  'write_off_payment',
  `select outcome, payment_id from write_off_payment($1, $2::text[], $3, $4)`,
)

/**
 * Gives up a payment whose node is gone for good, as a person has decided, and its hold back. Should the node say "paid" after
 * all, that is the house's loss, as after any refund.
 */
export async function abandonPayment(
  db: Database,
  peers: readonly string[],
  { paymentHash, by, because }: Abandonment,
): Promise<{ readonly outcome: Abandoned; readonly paymentId: bigint | null }> {
  const [row] = await db.query(ABANDON, [paymentHash, peers, by, because])
  if (row === undefined) throw new Error('write_off_payment gave no row')
  return { outcome: row.outcome, paymentId: row.payment_id }
}

const AT_ONCE = 20
const DECIDED = statement<OpenRow>(
  'decided_payments',
  `select ${OPEN_COLUMNS} from payment_write_offs d join payments p on p.id = d.payment_id
         where d.resolved_at is null and p.node_key = any($1::text[]) and d.payment_id > $2 order by d.payment_id limit ${AT_ONCE}`,
)
const HEARD = statement(
  'hear_of_decided',
  `update payment_write_offs set resolved_at = now() where payment_id = $1 and resolved_at is null`,
)

/**
 * Where the node of such a payment can be asked again, it is: what it paid is booked, and then nobody asks any more. Gives the id
 * after which the next round goes on, so that those of which no word comes keep nobody from being asked about the others.
 */
export async function askAboutDecided(ports: WorkerPorts, after: bigint): Promise<bigint> {
  const rows = await ports.db.query(DECIDED, [ports.node.accounts, after])
  for (const payment of rows.map(toOpenPayment)) {
    await askAgain(ports, payment).catch((error: unknown) =>
      ports.log.error({ error, payment: String(payment.id) }, 'a payment that was given up could not be asked about'),
    )
  }
  return rows.length < AT_ONCE ? 0n : (rows.at(-1)?.id ?? 0n)
}

async function askAgain(ports: WorkerPorts, payment: OpenPayment): Promise<void> {
  const ended = await applyOutcome(ports, payment, await ports.node.track(toTracked(payment)))
  if (ended !== undefined) await ports.db.query(HEARD, [payment.id])
}
