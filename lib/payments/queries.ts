import type { Failure } from '../lightning/node'
import type { CurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { KeysendMetadata } from './types'

/** A payment as its payer sees it. */
export interface PaymentCard {
  /** The quote that was paid; null for a payment without a quote. */
  readonly quoteId: bigint | null
  readonly paymentHash: string
  /** The BOLT-11 text; null for a keysend. */
  readonly invoice: string | null
  readonly description: string | null
  /** The address of the quote that was paid; null for a payment without a quote. */
  readonly receiverAddress: string | null
  readonly amountMsats: bigint
  readonly feeMsats: bigint
  readonly feeLimitMsats: bigint
  readonly walletCode: CurrencyCode
  /** What the wallet was charged, fees included, in its ledger units; while the payment is pending, the amount held. */
  readonly debit: bigint
  readonly state: 'succeeded' | 'failed' | 'pending'
  /** Pending, and given to the node. */
  readonly sent: boolean
  /** Public key of the node that was paid; null for a payment inside this VASP. */
  readonly peer: string | null
  readonly failure: Failure | null
  /** Destination and records of a keysend. */
  readonly metadata: KeysendMetadata | null
  /** The app that paid; null when the user paid in the dashboard. */
  readonly connection: { readonly id: string; readonly name: string } | null
  readonly preimage: string | null
  readonly createdAt: Date
  readonly settledAt: Date | null
  /** Whether the invoice has expired, by the database's clock. */
  readonly expired: boolean
  /** Whether the receiver's VASP accepted no callback about the settlement, and gets no other. */
  readonly isCallbackGivenUp: boolean
  /** Ledger entries of the payment in this wallet, oldest first; none from `listOpenPayments`. */
  readonly moves: readonly PaymentMove[]
}

/** How one ledger entry changed the paying wallet. */
export interface PaymentMove {
  readonly kind: 'payment' | 'hold' | 'release' | 'settle' | 'loss'
  readonly at: Date
  /** Ledger units of the wallet. */
  readonly available: bigint
  readonly held: bigint
}

type Row = Omit<PaymentCard, 'moves'> & { readonly id: bigint }

/** `offset 0` keeps each lookup on its index: without statistics, the planner would read all quotes. */
const cardsOf = (
  found: string,
): string => `select p.id, p.quote_id as "quoteId", p.payment_hash as "paymentHash", p.invoice, p.description, q.receiver_address as "receiverAddress",
                p.amount_msats as "amountMsats", p.network_fee_msats as "feeMsats", p.fee_limit_msats as "feeLimitMsats", w.currency_code as "walletCode",
                p.debit, case when p.state in ('held', 'sending') then 'pending' else p.state::text end as state, p.state = 'sending' as sent,
                p.payee_key as peer, p.failure, p.metadata,
                case when c.id is not null then json_build_object('id', c.id, 'name', c.name) end as connection, p.preimage,
                p.created_at as "createdAt", p.settled_at as "settledAt", coalesce(p.expires_at <= now(), false) as expired,
                exists (select from uma_callbacks u where u.payment_hash = p.payment_hash and u.user_id = p.user_id and u.next_try_at is null offset 0) as "isCallbackGivenUp"
         from ${found} p
         cross join lateral (select currency_code from wallets where id = p.wallet_id offset 0) w
         left join lateral (select id, name from connections where id = p.connection_id offset 0) c on true
         left join lateral (select receiver_address from quotes where id = p.quote_id offset 0) q on true`

const FIND = statement<Row>(
  'find_payment',
  `${cardsOf('payments')} where p.user_id = $1 and p.payment_hash = $2 order by p.id desc limit 1`,
)

const MOVES = statement<PaymentMove>(
  'payment_moves',
  `select e.kind, e.created_at as at, coalesce(sum(l.amount) filter (where a.kind = 'available'), 0)::bigint as available,
                coalesce(sum(l.amount) filter (where a.kind = 'held'), 0)::bigint as held
         from (select id, kind, created_at from journal_entries where payment_id = $1 offset 0) e
         cross join (select wallet_id from payments where id = $1 offset 0) p
         cross join lateral (select amount, account_id from postings where entry_id = e.id offset 0) l
         join lateral (select kind, wallet_id from ledger_accounts where id = l.account_id offset 0) a on a.wallet_id = p.wallet_id
         group by e.id, e.kind, e.created_at order by e.id`,
)

/** The user's latest payment with this hash; null when the user has none, and for text that is not a hash. */
export async function findPayment(db: Database, username: string, paymentHash: string): Promise<PaymentCard | null> {
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return null
  const [row] = await db.query(FIND, [username, paymentHash])
  if (row === undefined) return null
  return { ...row, moves: await db.query(MOVES, [row.id]) }
}

type State = 'held' | 'sending' | 'succeeded' | 'failed'
const STATE = statement<{ state: State }>(
  'payment_state',
  `select state from payments where user_id = $1 and payment_hash = $2 order by id desc limit 1`,
)

/** For pages that poll; undefined when the user has no such payment. */
export async function paymentState(db: Database, username: string, paymentHash: string): Promise<State | undefined> {
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return undefined
  const [row] = await db.query(STATE, [username, paymentHash])
  return row?.state
}

const MAX_LISTED = 100
const OPEN = statement<Row>(
  'open_payments',
  `${cardsOf('payments')} where p.user_id = $1 and p.state in ('held', 'sending') order by p.id desc limit ${MAX_LISTED}`,
)

/** The user's pending payments, the newest first. */
export async function listOpenPayments(db: Database, username: string): Promise<PaymentCard[]> {
  return (await db.query(OPEN, [username])).map((row) => ({ ...row, moves: [] }))
}

/** The owner is checked outside: with both conditions inside, the planner without statistics would sort all payments. */
const OF_CONNECTION = statement<Row>(
  'payments_of_connection',
  `${cardsOf('(select * from payments where connection_id = $2 order by created_at desc, id desc limit $3)')}
   where p.user_id = $1 order by p.created_at desc, p.id desc`,
)

/** The newest payments of one of the user's connections, in any state. */
export async function listPaymentsOfConnection(
  db: Database,
  username: string,
  connectionId: string,
  limit: number,
): Promise<PaymentCard[]> {
  return (await db.query(OF_CONNECTION, [username, connectionId, limit])).map((row) => ({ ...row, moves: [] }))
}

/** What a connection has paid on one day (UTC) from wallets of one currency. */
export interface DaySpending {
  /** "2026-11-27" */
  readonly day: string
  readonly code: CurrencyCode
  /** Ledger units, fees included. */
  readonly debit: bigint
  /** How many payments succeeded. */
  readonly payments: number
}

export interface Spending {
  /** Oldest first. */
  readonly days: readonly DaySpending[]
  /** Whether all payments since then were read. Otherwise only the newest `MAX_SPENDING_PAYMENTS` were. */
  readonly isComplete: boolean
}

/** The maximum number of payments that `readSpending` reads. */
export const MAX_SPENDING_PAYMENTS = 5_000

const SPENDING = statement<DaySpending & { readonly read: number }>(
  'spending_of_connection',
  `select to_char(paid.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, w.currency_code as code,
          coalesce(sum(paid.debit) filter (where paid.state = 'succeeded'), 0)::bigint as debit,
          count(*) filter (where paid.state = 'succeeded')::integer as payments, count(*)::integer as read
   from (select created_at, debit, state, wallet_id, user_id from payments
         where connection_id = $2 and created_at >= $3
         order by created_at desc, id desc limit ${MAX_SPENDING_PAYMENTS}) paid
   cross join lateral (select currency_code from wallets where id = paid.wallet_id offset 0) w
   where paid.user_id = $1 group by 1, 2 order by 1, 2`,
)

/** What one of the user's connections has spent on each day since then. Pending and failed payments do not count. */
export async function readSpending(
  db: Database,
  username: string,
  connectionId: string,
  since: Date,
): Promise<Spending> {
  const rows = await db.query(SPENDING, [username, connectionId, since])
  return {
    days: rows
      .filter(({ payments }) => payments > 0)
      .map(({ day, code, debit, payments }) => ({ day, code, debit, payments })),
    isComplete: rows.reduce((sum, { read }) => sum + read, 0) < MAX_SPENDING_PAYMENTS,
  }
}
