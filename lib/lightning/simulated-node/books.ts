import type { Database } from '../../platform/db/database'
import { sqlState } from '../../platform/db/sql-state'
import { statement, type Statement } from '../../platform/db/statement'
import type { CreditPlan } from '../credit-planner'
import { FAILURES, type Failure, type OutgoingPayment, type SendOutcome, type TrackedPayment } from '../node'
import type { PeerAnswer, PeerStatement } from './messages'

/** A send in the node's records. */
export interface Send {
  /** Our node's key when the send was recorded, hex. */
  readonly payer: string
  readonly payee: string
  /** `unknown` while it is in flight. */
  readonly outcome: SendOutcome
  /** Whether this call wrote the record. */
  readonly fresh: boolean
}

/** A peer's attempt to pay. */
export interface Question {
  /** Public key of the payer, hex. */
  readonly payer: string
  readonly paymentHash: string
  /** The payer's id for this attempt. */
  readonly attempt: string
}

export interface Receipt {
  readonly answer: PeerAnswer
  /** What was received, in msats; null for a refusal. */
  readonly amountMsats: bigint | null
}

/**
 * The node's own records, in the schema `lightning_node`. Final outcomes and answers never change. Each write is one transaction.
 * Every call throws an Error when the database is not available.
 */
export interface Books {
  /** Records a send before the call to the peer. Returns the existing record when there is one for the id. */
  begin(payment: OutgoingPayment): Promise<Send>
  /**
   * Records a send as failed without sending it, so that it can never be sent later. Returns the existing record when there is one
   * for the id.
   */
  giveUp(payment: TrackedPayment, failure: Failure): Promise<Send>
  /** Ends a send that is in flight. Returns the existing record when the send has already ended. */
  end(payment: TrackedPayment, outcome: Exclude<SendOutcome, { kind: 'unknown' }>): Promise<Send>
  /** Refuses an attempt permanently, unless it was received before. */
  refuse(question: Question, failure: Failure): Promise<Receipt>
  totals(peer: string): Promise<Totals>
  /**
   * Books the difference between a peer's statement and our records against `suspense`. Returns false and books nothing
   * when the difference is not the one that was accepted.
   */
  accept(accepted: Acceptance, theirs: PeerStatement): Promise<boolean>
  /** Receives and credits in one transaction, or refuses permanently. */
  receive(question: Question, payment: Incoming): Promise<Receipt>
}

/** What our records show for one peer, in msats. Accepted differences are included. */
export interface Totals {
  readonly receivedMsats: bigint
  /** The sum of sends that have succeeded. */
  readonly sentMsats: bigint
  /** The sum of sends without a result, which may have arrived. */
  readonly inFlightMsats: bigint
}

/** By how much a peer's totals exceed our records, in msats; never negative. */
export interface PeerDifference {
  /** Public key of the peer, hex. */
  readonly peer: string
  /** Sent by us. */
  readonly sentMsats: bigint
  /** Received by us. */
  readonly receivedMsats: bigint
}

/** An operator's decision about one peer. */
export interface Acceptance extends PeerDifference {
  /** The operator and the reason, which are both stored. */
  readonly by: string
  readonly because: string
}

export interface Incoming {
  readonly amountMsats: bigint
  /** Milliseconds since 1970, compared with the database's clock. */
  readonly deadline: number
  /** The maximum that the peer may owe us afterwards. */
  readonly maxOwedMsats: bigint
  /** The preimage of a keysend; undefined for an invoice. */
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

const BEGIN = statement<SendRow>(
  'begin_send',
  `insert into lightning_node.sends (send_id, payment_hash, payee, amount_msats, fee_limit_msats, payer, state)
         values ($1, $2, $3, $4, $5, $6, 'in_flight') on conflict (send_id) do nothing returning ${SEND}`,
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
const RECEIVE = statement<ReceiptRow>(
  'receive_payment',
  `select state, preimage, failure, amount_msats
         from lightning_node.receive($1, $2, $3, $4, to_timestamp($5::bigint / 1000.0), $6, $7, $8, $9, $10, $11::jsonb, $12,
                                     $13::bigint[], $14::bigint[])`,
)

const TOTALS = statement<Totals>(
  'node_totals',
  'select received as "receivedMsats", sent as "sentMsats", in_flight as "inFlightMsats" from lightning_node.totals_of($1)',
)
const ACCEPT = statement<{ accepted: boolean }>(
  'accept_totals',
  'select lightning_node.accept_totals($1, $2, $3, $4, $5, $6, $7) as accepted',
)

/** SQL states with which the database rolls a payment back, and the reason that the payer receives. */
const REFUSALS: ReadonlyMap<string, Failure> = new Map([
  ['LN001', 'limit'],
  ['LN002', 'paid'],
  ['23505', 'paid'],
])

/** `ownKeyHex`: our node's public key, under which peers record our sends. */
export function makeBooks(db: Database, ownKeyHex: string): Books {
  async function write(
    writing: Statement<SendRow>,
    payment: TrackedPayment,
    params: readonly unknown[],
  ): Promise<Send> {
    const [written] = await db.query(writing, params)
    if (written !== undefined) return sendOf(written, true)
    const [known] = await db.query(FIND, [payment.sendId, payment.paymentHash])
    if (known === undefined) throw new Error(`send ${payment.sendId} belongs to another payment`)
    return sendOf(known, false)
  }
  async function refuse({ payer, paymentHash, attempt }: Question, failure: Failure): Promise<Receipt> {
    return receiptOf(await db.query(REFUSE, [payer, paymentHash, attempt, failure]))
  }
  return {
    begin: (payment) => {
      const { sendId, paymentHash, payee, amountMsats, feeLimitMsats } = payment
      return write(BEGIN, payment, [sendId, paymentHash, payee, amountMsats, feeLimitMsats, ownKeyHex])
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
    async totals(peer) {
      const [row] = await db.query(TOTALS, [peer])
      if (row === undefined) throw new Error('the books returned no answer')
      return row
    },
    async accept({ peer, sentMsats, receivedMsats, by, because }, theirs) {
      const totals = [theirs.received_msats, theirs.sent_msats, sentMsats, receivedMsats]
      const [row] = await db.query(ACCEPT, [peer, ...totals, by, because])
      return row?.accepted === true
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
  }
}

function incomingParams(question: Question, payment: Incoming): unknown[] {
  const { amountMsats, deadline, maxOwedMsats, preimage, plan } = payment
  return [
    question.payer,
    question.paymentHash,
    question.attempt,
    amountMsats,
    deadline,
    maxOwedMsats,
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
  if (preimage === null || feeMsats === null) throw new Error('a send succeeded without a preimage or a fee')
  return { payer, payee, fresh, outcome: { kind: 'succeeded', preimage, feeMsats } }
}

function receiptOf([row]: readonly ReceiptRow[]): Receipt {
  if (row === undefined) throw new Error('the books returned no answer')
  const { state, preimage, failure, amount_msats: amountMsats } = row
  if (state === 'received' && preimage !== null) return { answer: { state, preimage }, amountMsats }
  return { answer: { state: 'refused', failure: failureOf(failure) }, amountMsats: null }
}

function failureOf(word: string | null): Failure {
  const known = FAILURES.find((each) => each === word)
  if (known === undefined) throw new Error(`the books contain an unknown failure: ${word ?? 'none'}`)
  return known
}
