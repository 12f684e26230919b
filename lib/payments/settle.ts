import { lossOf } from '../audit/losses'
import { nodeAccount } from '../ledger/accounts'
import { arrivalLines, mergeLines, type Line } from '../ledger/conversion'
import type { Failure, TrackOutcome } from '../lightning/node'
import { provesPayment } from '../lightning/preimage'
import { msatsInLedgerUnits } from '../money/ledger-units'
import { statement } from '../platform/db/statement'
import type { Ended, OpenPayment, WorkerPorts } from './open-payment'
import { paymentEvent } from './payment-events'

/**
 * Books the node's answer about a payment. Undefined while the answer is not final. A repeated or late answer, or one that two
 * instances receive at once, is booked once.
 */
export async function finalize(
  ports: WorkerPorts,
  payment: OpenPayment,
  outcome: TrackOutcome,
): Promise<Ended | undefined> {
  switch (outcome.kind) {
    case 'succeeded':
      return settleOnce(ports, payment, outcome)
    case 'failed':
      return release(ports, payment, outcome.failure)
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
 * A success arrives both as the result of `send()` and as an event. The second caller awaits the first settlement, and settles
 * the payment itself only if the first settlement failed.
 */
async function settleOnce(ports: WorkerPorts, payment: OpenPayment, success: Success): Promise<Ended | undefined> {
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

/** The preimage proves the payment (BOLT 11), so it is checked before anything is settled. */
async function settle(ports: WorkerPorts, payment: OpenPayment, success: Success): Promise<Ended | undefined> {
  const { preimage, feeMsats } = success
  if (!provesPayment(preimage, payment.paymentHash)) {
    ports.log.error(
      { payment: String(payment.id) },
      'the node reports success with a wrong preimage: the payment stays pending',
    )
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
  if (row?.outcome === 'settled') ports.events.record(paymentEvent('payment succeeded', payment))
  const { walletCode, rateSnapshotId } = payment
  return { state: 'succeeded', paid: { preimage, debit, walletCode, rateSnapshotId } }
}

/**
 * What the wallet pays, in ledger units rounded up, and the ledger lines: the amount to the peer and the fee to the network, at the
 * rates stored with the hold. A network fee over the limit is the operator's loss. The debit of a quote is fixed: it contains our own
 * fee, and the operator pays the network fee.
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
      'the network fee was over its limit: the operator bears the excess',
    )
  }
  const passedOn = vaspFee === null ? chargedMsats : 0n
  const debit = vaspFee === null ? msatsInLedgerUnits(amountMsats + passedOn, code, 'up', table) : payment.debit
  const houseFee = vaspFee ?? 0n
  const network = {
    accountId: house('lightning', 'SAT'),
    code: 'SAT' as const,
    amount: amountMsats + passedOn,
    rates: table,
  }
  const lines = mergeLines([
    ...arrivalLines(house, { code, amount: debit - houseFee, rates: table }, network),
    { accountId: house('fees', code), amount: houseFee },
    { accountId: network.accountId, amount: -amountMsats },
    { accountId: nodeAccount(nodeAccounts, payment.account), amount: amountMsats },
    { accountId: network.accountId, amount: feeMsats - passedOn },
    { accountId: house('fees', 'SAT'), amount: passedOn - feeMsats },
  ])
  return { debit, chargedMsats, lines }
}

const FAIL = statement<{ outcome: string }>('fail_payment', `select fail_payment($1, $2) as outcome`)

/** Releases the hold, after a final answer only: a payment that may have been sent keeps its hold until then. */
async function release(ports: WorkerPorts, payment: OpenPayment, failure: Failure): Promise<Ended | undefined> {
  const [row] = await ports.db.query(FAIL, [payment.id, failure])
  if (row?.outcome === 'failed') ports.events.record(paymentEvent('payment failed', payment, failure))
  if (row?.outcome !== 'succeeded') return { state: 'failed', failure }
  ports.log.error(
    { payment: String(payment.id) },
    'the node reports a failure of a payment that succeeded: nothing was released',
  )
  return undefined
}

const BOOK_LATE_SUCCESS = statement(
  'book_late_success',
  `select from post_entry('loss', 'loss:' || $1::bigint, $2::bigint[], $3::bigint[], $1::bigint)`,
)

/**
 * The node reported a failure first and a success later. The hold was released and the money may be spent, so the operator
 * bears the loss. This process refuses further payments at once, and the other processes on this database when they next read
 * the losses, until an operator acknowledges the loss.
 */
async function bookLateSuccess(ports: WorkerPorts, payment: OpenPayment, feeMsats: bigint): Promise<Ended> {
  const { house, nodeAccounts, audit } = ports
  const lines = mergeLines([
    { accountId: house('fees', 'SAT'), amount: -(payment.amountMsats + feeMsats) },
    { accountId: nodeAccount(nodeAccounts, payment.account), amount: payment.amountMsats },
    { accountId: house('lightning', 'SAT'), amount: feeMsats },
  ])
  await ports.db.query(BOOK_LATE_SUCCESS, [
    payment.id,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
  ])
  audit.report(lossOf(payment.id))
  return { state: 'failed', failure: null }
}
