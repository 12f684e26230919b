import type { Database, Statement } from '../../db/database'
import { sqlState } from '../../db/sql-state'
import type { CreditPlan } from '../receiver'
import { FAILURES, type Failure, type OutgoingPayment, type SendOutcome, type TrackedPayment } from '../node'
import type { PeerAnswer } from './messages'

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
  /** Writes a send before it leaves, unless its id is there already. */
  begin(payment: OutgoingPayment): Promise<Send>
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

const SEND = 'payer, payee, state, preimage, fee_msats, failure'

const BEGIN: Statement = {
  name: 'begin_send',
  text: `insert into lightning_node.sends (send_id, payment_hash, payee, amount_msats, fee_limit_msats, payer, state)
         values ($1, $2, $3, $4, $5, $6, 'in_flight') on conflict (send_id) do nothing returning ${SEND}`,
}
const GIVE_UP: Statement = {
  name: 'give_up_send',
  text: `insert into lightning_node.sends (send_id, payment_hash, payee, state, failure, payer, ended_at)
         values ($1, $2, $3, 'failed', $4, $5, now()) on conflict (send_id) do nothing returning ${SEND}`,
}
const END: Statement = {
  name: 'end_send',
  text: `update lightning_node.sends set state = $3, preimage = $4, fee_msats = $5, failure = $6, ended_at = now()
         where send_id = $1 and payment_hash = $2 and state = 'in_flight' returning ${SEND}`,
}
const FIND: Statement = {
  name: 'find_send',
  text: `select ${SEND} from lightning_node.sends where send_id = $1 and payment_hash = $2`,
}
const REFUSE: Statement = {
  name: 'refuse_receipt',
  text: `select state, preimage, failure, amount_msats from lightning_node.refuse($1, $2, $3, $4)`,
}
const KNOWN: Statement = {
  name: 'known_receipt',
  text: `select state, preimage, failure, amount_msats from lightning_node.answer_of($1, $2, $3)`,
}
const RECEIVE: Statement = {
  name: 'receive_payment',
  text: `select state, preimage, failure, amount_msats
         from lightning_node.receive($1, $2, $3, $4, to_timestamp($5::bigint / 1000.0), $6, $7, $8, $9, $10, $11::jsonb, $12,
                                     $13::bigint[], $14::bigint[])`,
}

/** As above; a refusal is no number, so that the statement fails, and the refusal that it wrote is not kept. */
const RECEIVE_ONLY: Statement = {
  name: 'receive_payment_only',
  text: RECEIVE.text.replace('select state', `select case when state = 'refused' then failure::int end, state`),
}
const NOT_KEPT = '22P02'

const TOTALS: Statement = {
  name: 'node_totals',
  text: `select (select coalesce(sum(amount_msats), 0)::bigint from lightning_node.receipts where payer = $1 and state = 'received') as received,
                coalesce(sum(amount_msats) filter (where state = 'succeeded'), 0)::bigint as sent,
                coalesce(sum(amount_msats) filter (where state = 'in_flight'), 0)::bigint as in_flight
         from lightning_node.sends where payee = $1`,
}

/** What the database raises when it takes a payment back that it had begun to book. */
const REFUSALS: ReadonlyMap<string, Failure> = new Map([
  ['LN001', 'limit'],
  ['LN002', 'paid'],
  ['23505', 'paid'],
])

/** What is written down as sent is sent under our own public key, hex. */
export function makeBooks(db: Database, ownKeyHex: string): Books {
  async function write(statement: Statement, payment: TrackedPayment, params: readonly unknown[]): Promise<Send> {
    const [written] = await db.query<SendRow>(statement, params)
    if (written !== undefined) return sendOf(written, true)
    const [known] = await db.query<SendRow>(FIND, [payment.sendId, payment.paymentHash])
    if (known === undefined) throw new Error(`send ${payment.sendId} is of another payment`)
    return sendOf(known, false)
  }
  async function refuse({ payer, paymentHash, attempt }: Question, failure: Failure): Promise<Receipt> {
    return receiptOf(await db.query<ReceiptRow>(REFUSE, [payer, paymentHash, attempt, failure]))
  }
  return {
    begin: (payment) => {
      const { sendId, paymentHash, payee, amountMsats, feeLimitMsats } = payment
      return write(BEGIN, payment, [sendId, paymentHash, payee, amountMsats, feeLimitMsats, ownKeyHex])
    },
    giveUp: (payment, failure) => {
      const { sendId, paymentHash, payee } = payment
      return write(GIVE_UP, payment, [sendId, paymentHash, payee, failure, ownKeyHex])
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
      const rows = await db.query<ReceiptRow>(KNOWN, [payer, paymentHash, attempt])
      return rows.length === 0 ? undefined : receiptOf(rows)
    },
    async totals(peer) {
      const [row] = await db.query<{ received: bigint; sent: bigint; in_flight: bigint }>(TOTALS, [peer])
      if (row === undefined) throw new Error('the books gave no answer')
      return { receivedMsats: row.received, sentMsats: row.sent, inFlightMsats: row.in_flight }
    },
    async receive(question, payment) {
      try {
        return receiptOf(await db.query<ReceiptRow>(RECEIVE, incomingParams(question, payment)))
      } catch (error) {
        const failure = REFUSALS.get(sqlState(error) ?? '')
        if (failure === undefined) throw error
        return refuse(question, failure)
      }
    },
    async receiveOnly(question, payment) {
      try {
        return receiptOf(await db.query<ReceiptRow>(RECEIVE_ONLY, incomingParams(question, payment)))
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
