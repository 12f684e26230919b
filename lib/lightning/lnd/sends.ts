import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { FAILURES, type Failure, type SendOutcome, type TrackedPayment } from '../node'

export type Final = Exclude<SendOutcome, { kind: 'unknown' }>

/** LND identifies payments by hash only, so each send has a row. */
export interface Send {
  readonly sendId: bigint
  readonly paymentHash: string
  /** LND's latest payment of this hash before ours: this index and lower ones belong to other sends. */
  readonly previousIndex: bigint
  /** LND's index of this send, once it is known. */
  readonly index: bigint | undefined
  readonly outcome: Final | undefined
  /** The call to LND was about to be made. */
  readonly mayBeSent: boolean
}

/** Each call is one transaction, and throws an Error when the database is not available. */
export interface Sends {
  find(sendId: bigint): Promise<Send | undefined>
  /**
   * Stores a send, unless its id is stored already. `lastIndex`: LND's latest payment of the hash. An earlier send of the hash that has
   * no index yet is that payment, if the payment is new to it and it may have been sent. Otherwise it was given up, and a payment that
   * appears later belongs to the new send.
   */
  begin(payment: TrackedPayment, lastIndex: bigint): Promise<{ readonly send: Send; readonly isNew: boolean }>
  /** Called right before the call to LND. False when the send was given up. */
  post(sendId: bigint): Promise<boolean>
  /** Refuses a send permanently unless it may have been sent. This includes an unknown id, so that a late `send` is refused. */
  giveUp(payment: TrackedPayment): Promise<Send>
  /** Stores a send whose row is missing, for a payment of LND that belongs to no other send. Undefined when it belongs to one. */
  restore(payment: TrackedPayment, index: bigint): Promise<Send | undefined>
  /** Stores which of LND's payments a send is. */
  adopt(sendId: bigint, index: bigint): Promise<void>
  /** Stores the outcome, unless the send has one. */
  end(send: Send, outcome: Final): Promise<{ readonly outcome: Final; readonly isNew: boolean }>
}

interface SendRow {
  readonly send_id: bigint
  readonly payment_hash: string
  readonly state: string
  readonly previous_index: bigint
  readonly payment_index: bigint | null
  readonly preimage: string | null
  readonly fee_msats: bigint | null
  readonly failure: string | null
}

const ROW = 'send_id, payment_hash, state, previous_index, payment_index, preimage, fee_msats, failure'

const FIND = statement<SendRow>('find_lnd_send', `select ${ROW} from lightning_node.lnd_sends where send_id = $1`)
const BEGIN = statement<SendRow>(
  'begin_lnd_send',
  `with earlier as (
           update lightning_node.lnd_sends set
             payment_index = case when state = 'posted' and previous_index < $3 then $3 end,
             failure = case when state = 'posted' and previous_index < $3 then null else 'never-sent' end,
             ended_at = case when state = 'posted' and previous_index < $3 then null else now() end,
             state = case when state = 'posted' and previous_index < $3 then state else 'failed' end
           where payment_hash = $2 and state in ('begun', 'posted') and payment_index is null
             and not exists (select from lightning_node.lnd_sends known where known.send_id = $1))
         insert into lightning_node.lnd_sends (send_id, payment_hash, previous_index, state) values ($1, $2, $3, 'begun')
         on conflict (send_id) do nothing returning ${ROW}`,
)
const POST = statement<{ posted: bigint }>(
  'post_lnd_send',
  `update lightning_node.lnd_sends set state = 'posted' where send_id = $1 and state = 'begun' returning send_id as posted`,
)
const GIVE_UP = statement<SendRow>(
  'give_up_lnd_send',
  `insert into lightning_node.lnd_sends as s (send_id, payment_hash, previous_index, state, failure, ended_at)
         values ($1, $2, 0, 'failed', 'never-sent', now())
         on conflict (send_id) do update set state = 'failed', failure = 'never-sent', ended_at = now()
           where s.state = 'begun' and s.payment_hash = $2
         returning ${ROW}`,
)
const RESTORE = statement<SendRow>(
  'restore_lnd_send',
  `insert into lightning_node.lnd_sends (send_id, payment_hash, previous_index, payment_index, state)
         select $1, $2, $3::bigint - 1, $3, 'posted'
         where not exists (select from lightning_node.lnd_sends
                           where payment_hash = $2 and (payment_index = $3 or payment_index is null and state = 'posted'))
         on conflict (send_id) do nothing returning ${ROW}`,
)
const ADOPT = statement(
  'adopt_lnd_payment',
  `update lightning_node.lnd_sends set payment_index = $2 where send_id = $1 and state = 'posted' and payment_index is null`,
)
const END = statement<SendRow>(
  'end_lnd_send',
  `update lightning_node.lnd_sends set state = $2, preimage = $3, fee_msats = $4, failure = $5, ended_at = now()
         where send_id = $1 and state in ('begun', 'posted') returning ${ROW}`,
)

/** The sends in the ledger's database. */
export function makeSends(db: Database): Sends {
  async function find(sendId: bigint): Promise<Send | undefined> {
    const [row] = await db.query(FIND, [sendId])
    return row && sendOf(row)
  }
  async function known(sendId: bigint): Promise<Send> {
    const send = await find(sendId)
    if (send === undefined) throw new Error(`send ${sendId} is not stored`)
    return send
  }
  return {
    find,
    async begin({ sendId, paymentHash }, lastIndex) {
      const [row] = await db.query(BEGIN, [sendId, paymentHash, lastIndex])
      return row === undefined ? { send: await known(sendId), isNew: false } : { send: sendOf(row), isNew: true }
    },
    async post(sendId) {
      const [row] = await db.query(POST, [sendId])
      return row !== undefined
    },
    async giveUp({ sendId, paymentHash }) {
      const [row] = await db.query(GIVE_UP, [sendId, paymentHash])
      return row === undefined ? known(sendId) : sendOf(row)
    },
    async restore({ sendId, paymentHash }, index) {
      const [row] = await db.query(RESTORE, [sendId, paymentHash, index])
      return row && sendOf(row)
    },
    async adopt(sendId, index) {
      await db.query(ADOPT, [sendId, index])
    },
    async end({ sendId }, outcome) {
      const ending =
        outcome.kind === 'succeeded' ? [outcome.preimage, outcome.feeMsats, null] : [null, null, outcome.failure]
      const [row] = await db.query(END, [sendId, outcome.kind, ...ending])
      const ended = row === undefined ? await known(sendId) : sendOf(row)
      if (ended.outcome === undefined) throw new Error(`send ${sendId} has not ended`)
      return { outcome: ended.outcome, isNew: row !== undefined }
    },
  }
}

function sendOf(row: SendRow): Send {
  return {
    sendId: row.send_id,
    paymentHash: row.payment_hash,
    previousIndex: row.previous_index,
    index: row.payment_index ?? undefined,
    outcome: outcomeOf(row),
    mayBeSent: row.state !== 'begun',
  }
}

function outcomeOf({ state, preimage, fee_msats: feeMsats, failure }: SendRow): Final | undefined {
  if (state === 'failed') return { kind: 'failed', failure: failureOf(failure) }
  if (state !== 'succeeded') return undefined
  if (preimage === null || feeMsats === null) throw new Error('a send succeeded without a preimage or a fee')
  return { kind: 'succeeded', preimage, feeMsats }
}

function failureOf(word: string | null): Failure {
  const known = FAILURES.find((each) => each === word)
  if (known === undefined) throw new Error(`a send failed for an unknown reason: ${word ?? 'none'}`)
  return known
}
