import type { Database } from '../../platform/db/database'
import { statement, type Statement } from '../../platform/db/statement'
import { sqlState } from '../../platform/db/sql-state'
import type { CreditPlan } from '../receiver'
import { FAILURES, type Failure, type OutgoingPayment, type SendOutcome, type TrackedPayment } from '../node'
import { HISTORY_PAGE, type HistoryMessage, type PeerAnswer, type Told } from './messages'

/** A send as the node's books have it. */
export interface Send {
  /** Our key at that time, hex. */
  readonly payer: string
  readonly payee: string
  /** `unknown` while it is in flight. */
  readonly outcome: SendOutcome
  /** Whether this very call wrote it. */
  readonly fresh: boolean
}

/** Who asks about which payment under which name. */
export interface Question {
  /** Public key of the payer, hex. */
  readonly payer: string
  readonly paymentHash: string
  readonly attempt: string
}

export interface Receipt {
  readonly answer: PeerAnswer
  /** What was received, in msats; null for a refusal. */
  readonly amountMsats: bigint | null
}

/**
 * The node's own books, in the schema `lightning_node`. What is written once as ended or answered stays; each verb is one
 * transaction of its own.
 */
export interface Books {
  /**
   * Writes a send before it leaves, unless its id is there already. Undefined, and nothing is written, where the peer knows
   * payments that wait for a person, and where it had received this one before our books forgot it.
   */
  begin(payment: OutgoingPayment): Promise<Send | undefined>
  /** Writes a send that will never leave, unless its id is there already: then that one is told. */
  giveUp(payment: TrackedPayment, failure: Failure): Promise<Send>
  /** Ends a send that is in flight; one that has ended before stays as it is and is told. */
  end(payment: TrackedPayment, outcome: Exclude<SendOutcome, { kind: 'unknown' }>): Promise<Send>
  /** Refuses for ever, unless it was received before. */
  refuse(question: Question, failure: Failure): Promise<Receipt>
  /** What was answered before; undefined when this was never asked. Nothing is written. */
  known(question: Question): Promise<Receipt | undefined>
  /** All that was received from a peer and sent to it. */
  totals(peer: string): Promise<Totals>
  /** What we have received from a peer, or sent to it, for that peer: a page, the newest first. */
  history(peer: string, asked: HistoryMessage): Promise<HistoryPage>
  /**
   * Writes down for a person which of the payments that a peer tells of are not in our books. Gives their number and sum; what
   * was written down before counts as long as nobody has accepted it.
   */
  noteUnbooked(
    peer: string,
    direction: 'sent' | 'received',
    told: readonly Told[],
  ): Promise<{ readonly count: number; readonly msats: bigint }>
  /** Receives and credits in one transaction, or refuses for ever. */
  receive(question: Question, payment: Incoming): Promise<Receipt>
  /** Receives and credits, or does nothing: undefined then, and the same call may be received later. */
  receiveOnly(question: Question, payment: Incoming): Promise<Receipt | undefined>
}

/** In msats. */
export interface Totals {
  readonly receivedMsats: bigint
  /** Of sends that have succeeded. */
  readonly sentMsats: bigint
  /** Of sends whose end is not known: they may have arrived. */
  readonly inFlightMsats: bigint
  /** How many payments that the peer has told wait for a person. */
  readonly inReview: number
}

/** As it travels. */
export interface HistoryPage {
  readonly payments: readonly Readonly<Record<'payment_hash' | 'attempt' | 'amount_msats', string>>[]
  readonly next: string | null
}

export interface Incoming {
  readonly amountMsats: bigint
  /** Milliseconds since 1970; the database's clock decides whether they are over. */
  readonly deadline: number
  /** How much the peer may owe us afterwards. */
  readonly mostOwedMsats: bigint
  /** Of a keysend. */
  readonly preimage: string | undefined
  readonly plan: CreditPlan
}

interface SendRow {
  readonly payer: string
  readonly payee: string
  readonly state: string
  readonly preimage: string | null
  readonly fee_msats: bigint | null
  readonly failure: string | null
}

interface ReceiptRow {
  readonly state: string
  readonly preimage: string | null
  readonly failure: string | null
  readonly amount_msats: bigint | null
}

interface TotalsRow {
  readonly received: bigint
  readonly sent: bigint
  readonly in_flight: bigint
  readonly in_review: number
}

interface UnbookedRow {
  readonly count: number
  readonly msats: bigint
}

interface HistoryRow {
  readonly id: bigint
  readonly payment_hash: string
  readonly attempt: string
  readonly amount_msats: bigint
}

const SEND = 'payer, payee, state, preimage, fee_msats, failure'

const BEGIN = statement<SendRow>(
  'begin_send',
  `insert into lightning_node.sends (send_id, payment_hash, payee, amount_msats, fee_limit_msats, payer, state)
         select $1::bigint, $2, $3, $4::bigint, $5::bigint, $6, 'in_flight'
         where not exists (select from lightning_node.reconciliation_items
                           where peer = $3 and (accepted_at is null or direction = 'sent' and payment_hash = $2))
         on conflict (send_id) do nothing returning ${SEND}`,
)
const GIVE_UP = statement<SendRow>(
  'give_up_send',
  `insert into lightning_node.sends (send_id, payment_hash, payee, state, failure, payer, ended_at)
         values ($1, $2, $3, 'failed', $4, $5, now()) on conflict (send_id) do nothing returning ${SEND}`,
)
const END = statement<SendRow>(
  'end_send',
  `update lightning_node.sends set state = $3, preimage = $4, fee_msats = $5, failure = $6, ended_at = now()
         where send_id = $1 and payment_hash = $2 and state = 'in_flight' returning ${SEND}`,
)
const FIND = statement<SendRow>(
  'find_send',
  `select ${SEND} from lightning_node.sends where send_id = $1 and payment_hash = $2`,
)
const REFUSE = statement<ReceiptRow>(
  'refuse_receipt',
  `select state, preimage, failure, amount_msats from lightning_node.refuse($1, $2, $3, $4)`,
)
const KNOWN = statement<ReceiptRow>(
  'known_receipt',
  `select state, preimage, failure, amount_msats from lightning_node.answer_of($1, $2, $3)`,
)
const RECEIVE = statement<ReceiptRow>(
  'receive_payment',
  `select state, preimage, failure, amount_msats
         from lightning_node.receive($1, $2, $3, $4, to_timestamp($5::bigint / 1000.0), $6, $7, $8, $9, $10, $11::jsonb, $12,
                                     $13::bigint[], $14::bigint[])`,
)

/** As above; a refusal is no number, so that the statement fails, and the refusal that it wrote is not kept. */
const RECEIVE_ONLY = statement<ReceiptRow & { case: number | null }>(
  'receive_payment_only',
  RECEIVE.text.replace('select state', `select case when state = 'refused' then failure::int end, state`),
)
const NOT_KEPT = '22P02'

/** What a person has accepted belongs to it, as the peer has told it. */
const TOTALS = statement<TotalsRow>(
  'node_totals',
  `with accepted as (
           select coalesce(sum(amount_msats) filter (where direction = 'sent'), 0) as sent,
                  coalesce(sum(amount_msats) filter (where direction = 'received'), 0) as received
           from lightning_node.reconciliation_items where peer = $1 and accepted_at is not null)
         select ((select coalesce(sum(amount_msats), 0) from lightning_node.receipts where payer = $1 and state = 'received')
                 + (select received from accepted))::bigint as received,
                (coalesce(sum(amount_msats) filter (where state = 'succeeded'), 0) + (select sent from accepted))::bigint as sent,
                coalesce(sum(amount_msats) filter (where state = 'in_flight'), 0)::bigint as in_flight,
                (select count(*)::int from lightning_node.reconciliation_items where peer = $1 and accepted_at is null) as in_review
         from lightning_node.sends where payee = $1`,
)

const HISTORY: Readonly<Record<HistoryMessage['side'], Statement<HistoryRow>>> = {
  received: statement<HistoryRow>(
    'history_received',
    `select id, payment_hash, attempt, amount_msats from lightning_node.receipts
           where payer = $1 and state = 'received' and id < coalesce($2, 9223372036854775807) order by id desc limit ${HISTORY_PAGE}`,
  ),
  sent: statement<HistoryRow>(
    'history_sent',
    `select send_id as id, payment_hash, send_id::text as attempt, amount_msats from lightning_node.sends
           where payee = $1 and state = 'succeeded' and send_id < coalesce($2, 9223372036854775807)
           order by send_id desc limit ${HISTORY_PAGE}`,
  ),
}

const noteUnbooked = (direction: 'sent' | 'received', known: string): Statement<UnbookedRow> =>
  statement<UnbookedRow>(
    `note_unbooked_${direction}`,
    `with missing as (
           select * from unnest($2::text[], $3::text[], $4::bigint[]) as told (payment_hash, attempt, amount_msats)
           where not exists (${known})
             and not exists (select from lightning_node.reconciliation_items u
                             where u.peer = $1 and u.direction = '${direction}' and u.payment_hash = told.payment_hash
                               and u.attempt = told.attempt and u.accepted_at is not null)),
         written as (
           insert into lightning_node.reconciliation_items (peer, direction, payment_hash, attempt, amount_msats)
           select $1, '${direction}', payment_hash, attempt, amount_msats from missing on conflict do nothing)
         select count(*)::int as count, coalesce(sum(amount_msats), 0)::bigint as msats from missing`,
  )
const NOTE_UNBOOKED: Readonly<Record<'sent' | 'received', Statement<UnbookedRow>>> = {
  sent: noteUnbooked(
    'sent',
    `select from lightning_node.sends s
     where s.send_id = case when told.attempt ~ '^[0-9]{1,18}$' then told.attempt::bigint end
       and s.payee = $1 and s.payment_hash = told.payment_hash and s.state <> 'failed'`,
  ),
  received: noteUnbooked(
    'received',
    `select from lightning_node.receipts r
     where r.payer = $1 and r.payment_hash = told.payment_hash and r.attempt = told.attempt and r.state = 'received'`,
  ),
}

/** What the database raises when it takes a payment back that it had begun to book. */
const REFUSALS: ReadonlyMap<string, Failure> = new Map([
  ['LN001', 'limit'],
  ['LN002', 'paid'],
  ['23505', 'paid'],
])

/** What is written down as sent is sent under our own public key, hex. */
export function makeBooks(db: Database, ownKeyHex: string): Books {
  async function writeOrFind(
    writing: Statement<SendRow>,
    payment: TrackedPayment,
    params: readonly unknown[],
  ): Promise<Send | undefined> {
    const [written] = await db.query(writing, params)
    if (written !== undefined) return sendOf(written, true)
    const [known] = await db.query(FIND, [payment.sendId, payment.paymentHash])
    return known && sendOf(known, false)
  }
  async function write(
    writing: Statement<SendRow>,
    payment: TrackedPayment,
    params: readonly unknown[],
  ): Promise<Send> {
    const send = await writeOrFind(writing, payment, params)
    if (send === undefined) throw new Error(`send ${payment.sendId} is of another payment`)
    return send
  }
  async function refuse({ payer, paymentHash, attempt }: Question, failure: Failure): Promise<Receipt> {
    return receiptOf(await db.query(REFUSE, [payer, paymentHash, attempt, failure]))
  }
  return {
    begin: (payment) => {
      const { sendId, paymentHash, payee, amountMsats, feeLimitMsats } = payment
      return writeOrFind(BEGIN, payment, [sendId, paymentHash, payee, amountMsats, feeLimitMsats, ownKeyHex])
    },
    giveUp: (payment, failure) => {
      const { sendId, paymentHash, account } = payment
      return write(GIVE_UP, payment, [sendId, paymentHash, account, failure, ownKeyHex])
    },
    end: (payment, outcome) => {
      const ending =
        outcome.kind === 'succeeded'
          ? ['succeeded', outcome.preimage, outcome.feeMsats, null]
          : ['failed', null, null, outcome.failure]
      return write(END, payment, [payment.sendId, payment.paymentHash, ...ending])
    },
    refuse,
    async known({ payer, paymentHash, attempt }) {
      const rows = await db.query(KNOWN, [payer, paymentHash, attempt])
      return rows.length === 0 ? undefined : receiptOf(rows)
    },
    async totals(peer) {
      const [row] = await db.query(TOTALS, [peer])
      if (row === undefined) throw new Error('the books gave no answer')
      const { received: receivedMsats, sent: sentMsats, in_flight: inFlightMsats, in_review: inReview } = row
      return { receivedMsats, sentMsats, inFlightMsats, inReview }
    },
    async history(peer, { side, before }) {
      const rows = await db.query(HISTORY[side], [peer, before ?? null])
      const payments = rows.map((row) => ({
        payment_hash: row.payment_hash,
        attempt: row.attempt,
        amount_msats: String(row.amount_msats),
      }))
      return { payments, next: rows.length < HISTORY_PAGE ? null : String(rows.at(-1)?.id) }
    },
    async noteUnbooked(peer, direction, told) {
      const [row] = await db.query(NOTE_UNBOOKED[direction], [
        peer,
        told.map(({ payment_hash }) => payment_hash),
        told.map(({ attempt }) => attempt),
        told.map(({ amount_msats }) => amount_msats),
      ])
      return row ?? { count: 0, msats: 0n }
    },
    async receive(question, payment) {
      try {
        return receiptOf(await db.query(RECEIVE, incomingParams(question, payment)))
      } catch (error) {
        const failure = REFUSALS.get(sqlState(error) ?? '')
        if (failure === undefined) throw error
        return refuse(question, failure)
      }
    },
    async receiveOnly(question, payment) {
      try {
        return receiptOf(await db.query(RECEIVE_ONLY, incomingParams(question, payment)))
      } catch (error) {
        const state = sqlState(error) ?? ''
        if (state !== NOT_KEPT && !REFUSALS.has(state)) throw error
        return undefined
      }
    },
  }
}

function incomingParams(question: Question, payment: Incoming): unknown[] {
  const { amountMsats, deadline, mostOwedMsats, preimage, plan } = payment
  return [
    question.payer,
    question.paymentHash,
    question.attempt,
    amountMsats,
    deadline,
    mostOwedMsats,
    preimage ?? null,
    plan.username,
    plan.walletId,
    plan.description,
    plan.metadata == null ? null : JSON.stringify(plan.metadata),
    plan.credited,
    plan.lines.map((line) => line.accountId),
    plan.lines.map((line) => line.amount),
  ]
}

function sendOf({ payer, payee, state, preimage, fee_msats: feeMsats, failure }: SendRow, fresh: boolean): Send {
  if (state === 'in_flight') return { payer, payee, fresh, outcome: { kind: 'unknown' } }
  if (state === 'failed') return { payer, payee, fresh, outcome: { kind: 'failed', failure: failureOf(failure) } }
  if (preimage === null || feeMsats === null) throw new Error('a send succeeded without a preimage')
  return { payer, payee, fresh, outcome: { kind: 'succeeded', preimage, feeMsats } }
}

function receiptOf([row]: readonly ReceiptRow[]): Receipt {
  if (row === undefined) throw new Error('the books gave no answer')
  const { state, preimage, failure, amount_msats: amountMsats } = row
  if (state === 'received' && preimage !== null) return { answer: { state, preimage }, amountMsats }
  return { answer: { state: 'refused', failure: failureOf(failure) }, amountMsats: null }
}

function failureOf(word: string | null): Failure {
  const known = FAILURES.find((each) => each === word)
  if (known === undefined) throw new Error(`the books say ${word ?? 'nothing'}`)
  return known
}
