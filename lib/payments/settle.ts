import { lossOf } from '../audit/losses'
import { statement } from '../platform/db/statement'
import { nodeAccount } from '../ledger/accounts'
import { arrivalLines, mergeLines, type Line } from '../ledger/conversion'
import type { Failure, TrackOutcome } from '../lightning/node'
import { provesPayment } from '../lightning/preimage'
import { msatsInLedgerUnits } from '../money/ledger-units'
import type { Ended, OpenPayment, WorkerPorts } from './open-payment'

/**
 * Books what the node says about a payment; undefined while that is no final word. Whatever is said twice, or late, or
 * from two instances at once, is booked once.
 */
export async function applyOutcome(
  ports: WorkerPorts,
  payment: OpenPayment,
  outcome: TrackOutcome,
): Promise<Ended | undefined> {
  switch (outcome.kind) {
    case 'succeeded':
      return settleTogether(ports, payment, outcome)
    case 'failed':
      return giveUp(ports, payment, outcome.failure)
    case 'unknown':
    case 'not-found':
      return undefined
  }
}

const SETTLE = statement<{ outcome: 'settled' | 'already' | 'failed' }>(
  'settle_payment',
  `select settle_payment($1, $2, $3, $4, $5::bigint[], $6::bigint[]) as outcome`,
)

interface Success {
  readonly preimage: string
  readonly feeMsats: bigint
}

/**
 * A node tells a success twice at one moment: to whoever sent, and to all who listen. Who comes second takes what the first
 * has booked; only where that did not work it books by itself.
 */
async function settleTogether(ports: WorkerPorts, payment: OpenPayment, success: Success): Promise<Ended | undefined> {
  const { settling } = ports
  const first = settling.get(payment.id)
  const ended = first && (await first.catch(() => undefined))
  if (ended !== undefined) return ended
  const work = settle(ports, payment, success)
  settling.set(payment.id, work)
  try {
    return await work
  } finally {
    if (settling.get(payment.id) === work) settling.delete(payment.id)
  }
}

/** The preimage is the proof, and it is checked before anything is settled, whoever says "succeeded" (BOLT 11). */
async function settle(ports: WorkerPorts, payment: OpenPayment, success: Success): Promise<Ended | undefined> {
  const { preimage, feeMsats } = success
  if (!provesPayment(preimage, payment.paymentHash)) {
    ports.log.error({ payment: String(payment.id) }, 'the node says paid and its preimage does not fit: still waiting')
    return undefined
  }
  const { debit, chargedMsats, lines } = await settlement(ports, payment, feeMsats)
  const params = [
    payment.id,
    preimage,
    chargedMsats,
    debit,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
  ]
  const [row] = await ports.db.query(SETTLE, params)
  if (row?.outcome === 'failed') return bookLateSuccess(ports, payment, feeMsats)
  const { walletCode, rateSnapshotId } = payment
  return { state: 'succeeded', paid: { preimage, debit, walletCode, rateSnapshotId } }
}

/**
 * What the wallet pays, in ledger units, rounded up, and where that goes: the amount to the peer, the fee to the network,
 * all at the rates of the day of the hold. A fee over the limit is the house's loss, never the user's. A quote's debit is
 * what was promised, whatever the route takes: its fee is the house's, which has its own in the debit.
 */
async function settlement(
  { house, nodeAccounts, rates, log }: WorkerPorts,
  payment: OpenPayment,
  feeMsats: bigint,
): Promise<{ readonly debit: bigint; readonly chargedMsats: bigint; readonly lines: Line[] }> {
  const { walletCode: code, amountMsats, feeLimitMsats, vaspFee } = payment
  const table = await rates.ofSnapshot(payment.rateSnapshotId)
  const chargedMsats = feeMsats > feeLimitMsats ? feeLimitMsats : feeMsats
  const excess = feeMsats - chargedMsats
  if (excess > 0n) {
    log.error(
      { payment: String(payment.id), excessMsats: String(excess) },
      'a route took more than was allowed: our loss',
    )
  }
  const passedOn = vaspFee === null ? chargedMsats : 0n
  const debit = vaspFee === null ? msatsInLedgerUnits(amountMsats + passedOn, code, 'up', table) : payment.debit
  const houseFee = vaspFee ?? 0n
  const network = { accountId: house('lightning', 'SAT'), code: 'SAT' as const, amount: amountMsats + passedOn }
  const lines = mergeLines([
    ...arrivalLines(house, { code, amount: debit - houseFee }, network, table),
    { accountId: house('fees', code), amount: houseFee },
    { accountId: network.accountId, amount: -amountMsats },
    { accountId: nodeAccount(nodeAccounts, payment.account), amount: amountMsats },
    { accountId: network.accountId, amount: feeMsats - passedOn },
    { accountId: house('fees', 'SAT'), amount: passedOn - feeMsats },
  ])
  return { debit, chargedMsats, lines }
}

const FAIL = statement<{ outcome: string }>('fail_payment', `select fail_payment($1, $2) as outcome`)

/** Gives the hold back. Only after a final word: nothing is ever released because time went by. */
async function giveUp(ports: WorkerPorts, payment: OpenPayment, failure: Failure): Promise<Ended | undefined> {
  const [row] = await ports.db.query(FAIL, [payment.id, failure])
  if (row?.outcome !== 'succeeded') return { state: 'failed', failure }
  ports.log.error({ payment: String(payment.id) }, 'the node gave up a payment that it had made: nothing was released')
  return undefined
}

const LOSE = statement(
  'book_late_success',
  `select from post_entry('loss', 'loss:' || $1::bigint, $2::bigint[], $3::bigint[], $1::bigint)`,
)

/**
 * The node took a word back: the payment was made after all, and its money had been given back to the user, who may have
 * spent it. The house bears it, and nothing more is sent, by no process on this database, until a person has looked.
 */
async function bookLateSuccess(ports: WorkerPorts, payment: OpenPayment, feeMsats: bigint): Promise<Ended> {
  const { house, nodeAccounts, audit } = ports
  const lines = mergeLines([
    { accountId: house('fees', 'SAT'), amount: -(payment.amountMsats + feeMsats) },
    { accountId: nodeAccount(nodeAccounts, payment.account), amount: payment.amountMsats },
    { accountId: house('lightning', 'SAT'), amount: feeMsats },
  ])
  await ports.db.query(LOSE, [payment.id, lines.map((line) => line.accountId), lines.map((line) => line.amount)])
  audit.report(lossOf(payment.id))
  return { state: 'failed', failure: null }
}
