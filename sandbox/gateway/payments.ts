import { randomUUID } from 'node:crypto'
import { cycleAt, holdOf, leftOf, type Buffer, type Cycle, type Limit } from './budget'
import { failure, outcomeOf, type Outcome } from './outcome'
import { EstimateReply, PaymentReply, PayToAddressReply } from './replies'
import type { Sending, VaspCall } from './requests'
import { isOver, type Connection, type Payment, type Store } from './store'
import type { Exchange } from './vasp-client'

export interface PaymentDeps {
  readonly store: Store
  readonly buffer: Buffer
  readonly nowSeconds: () => number
  /** Calls the VASP for a connection and records the exchange. */
  readonly call: (connection: Connection, call: VaspCall) => Promise<Exchange>
}

/**
 * Pays within the budget, as the public gateway does: estimate, hold = ceil(estimate × buffer), payment, then the actual
 * total replaces the hold. A failed payment releases its hold. A payment without an answer keeps its hold, and
 * `resolveOpenPayments` repeats the request; the public gateway releases the hold. A payment whose hash this connection
 * has paid before is requested again but debits the budget only once, because a wallet pays a hash once.
 */
export async function pay(
  deps: PaymentDeps,
  connection: Connection,
  request: { readonly id: string; readonly command: string; readonly call: VaspCall; readonly sending: Sending },
): Promise<Outcome> {
  const { sending } = request
  const paymentHash = sending.paymentHash ?? null
  const estimate = wasPaid(connection, paymentHash) ? 0 : await estimateFor(deps, connection, sending)
  if (typeof estimate === 'object') return estimate
  const payment: Payment = {
    id: randomUUID(),
    requestId: request.id,
    command: request.command,
    call: { path: request.call.path, body: bodyFor(connection, request.call, sending) },
    createdAtSeconds: deps.nowSeconds(),
    sendingCurrencyCode: sending.currencyCode,
    sendingAmount: sending.amount,
    receiver: sending.receiver,
    paymentHash,
    status: 'PENDING',
    held: 0,
    settled: null,
    problem: null,
    cycleStartSeconds: null,
    fallback: estimate,
  }
  const held = hold(deps, connection.id, payment, estimate)
  return held === undefined
    ? failure('QUOTA_EXCEEDED', 'The budget of this connection does not allow this payment.')
    : send(deps, connection, held)
}

function wasPaid(connection: Pick<Connection, 'payments'>, paymentHash: string | null): boolean {
  return (
    paymentHash !== null &&
    connection.payments.some((each) => each.status === 'SUCCEEDED' && each.paymentHash === paymentHash)
  )
}

/**
 * Repeats the requests of payments whose answer was lost. Different payments are repeated in parallel, and a payment is not
 * repeated while an earlier request for it runs, which may take minutes. Repeats only payments that the VASP carries out once,
 * however often they are requested.
 * @param inProgress Request ids of the payments that apps are waiting for or that are being repeated.
 */
export async function resolveOpenPayments(deps: PaymentDeps, inProgress: Set<string>): Promise<void> {
  await Promise.all(
    deps.store.connections().flatMap((connection) => {
      // After a connection ends, nothing is sent for it: a repeated request might pay.
      if (isOver(connection.expiresAtSeconds, deps.nowSeconds())) return []
      return connection.payments.map((payment) => askAgain(deps, connection, payment, inProgress))
    }),
  )
}

async function askAgain(
  deps: PaymentDeps,
  connection: Connection,
  payment: Payment,
  inProgress: Set<string>,
): Promise<void> {
  if (payment.status !== 'PENDING' || inProgress.has(payment.requestId) || !isRepeatable(payment)) return
  inProgress.add(payment.requestId)
  try {
    await send(deps, connection, payment, 'again')
  } finally {
    inProgress.delete(payment.requestId)
  }
}

/**
 * The answer to a request event that arrives again, for example after a restart: the stored answer of the first time.
 * While the outcome is not known, the VASP is asked again where it pays only once; a keysend or a payment to an address
 * might be paid twice, so its app is told to look it up. A repeated event never has a second hold or a second booking.
 */
export async function answerAgain(deps: PaymentDeps, connection: Connection, payment: Payment): Promise<Outcome> {
  if (payment.outcome !== undefined) return payment.outcome
  if (payment.status === 'FAILED') return failure('OTHER', payment.problem ?? 'This payment failed.')
  if (isRepeatable(payment)) return send(deps, connection, payment, 'again')
  return payment.status === 'SUCCEEDED'
    ? failure('OTHER', 'This request was already carried out: the payment succeeded.')
    : failure('INTERNAL', 'The result of this payment is not known yet. Look it up before you pay again.')
}

function isRepeatable(payment: Payment): boolean {
  return payment.command === 'pay_invoice' || payment.command === 'execute_quote'
}

/**
 * The maximum that the payment takes from the budget, before the buffer; the error for the app when the VASP returns no
 * estimate.
 */
async function estimateFor(deps: PaymentDeps, connection: Connection, sending: Sending): Promise<number | Outcome> {
  const { limit, currency } = connection
  if (limit === null || sending.currencyCode === currency.code) return sending.amount
  if (leftOf(limit, cycleOf(connection, limit, deps.nowSeconds())) <= 0)
    return failure('QUOTA_EXCEEDED', 'The budget of this connection is used up.')
  const exchange = await deps.call(connection, estimateCall(sending.currencyCode, sending.amount, currency.code))
  const outcome = outcomeOf(exchange, EstimateReply)
  return 'error' in outcome ? outcome : Number(outcome.result.estimated_budget_currency_amount)
}

export function estimateCall(from: string, amount: number, to: string): VaspCall {
  const query = { sending_currency_code: from, sending_currency_amount: String(amount), budget_currency_code: to }
  return { method: 'GET', path: `/budget_estimate?${new URLSearchParams(query)}`, reply: EstimateReply }
}

function bodyFor(connection: Connection, call: VaspCall, sending: Sending): Record<string, unknown> {
  const code = connection.currency.code
  return { ...call.body, budget_currency_code: code === sending.currencyCode ? null : code }
}

/** Books the payment and its hold; undefined when the budget does not allow it. */
function hold(deps: PaymentDeps, id: string, payment: Payment, estimate: number): Payment | undefined {
  let booked: Payment | undefined
  deps.store.change(id, (now) => {
    if (now.limit === null) {
      booked = payment
      return { payments: [...now.payments, payment] }
    }
    const cycle = cycleOf(now, now.limit, deps.nowSeconds())
    const held = wasPaid(now, payment.paymentHash ?? null) ? 0 : holdOf(estimate, deps.buffer)
    if (held > leftOf(now.limit, cycle)) return {}
    booked = { ...payment, held, cycleStartSeconds: cycle.startSeconds }
    return {
      payments: [...now.payments, booked],
      cycles: withCycle(now.cycles, { ...cycle, held: cycle.held + held }),
    }
  })
  return booked
}

async function send(
  deps: PaymentDeps,
  connection: Connection,
  payment: Payment,
  time: 'first' | 'again' = 'first',
): Promise<Outcome> {
  const reply = payment.command === 'pay_to_address' ? PayToAddressReply : PaymentReply
  const body = payment.call.body as Record<string, unknown>
  const exchange = await deps.call(connection, { method: 'POST', path: payment.call.path, body, reply })
  const outcome = outcomeOf(exchange, reply)
  if ('error' in outcome) {
    if (isUnknown(exchange, time)) return failure('INTERNAL', notKnownYet(outcome.error.message))
    close(deps, connection.id, payment, { status: 'FAILED', settled: null, problem: outcome.error.message, outcome })
    return outcome
  }
  const total = outcome.result.total_budget_currency_amount
  const settled = typeof total === 'number' ? total : payment.fallback
  close(deps, connection.id, payment, { status: 'SUCCEEDED', settled, problem: null, outcome })
  return outcome
}

/** The VASP's message, and what it means for the app unless it says so itself. */
function notKnownYet(message: string): string {
  if (/not known yet/i.test(message)) return message
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return `${sentence} The result is not known yet. Look it up before you pay again.`
}

/** No answer to a request that may have arrived, or an answer that does not state the outcome. */
function isUnknown(exchange: Exchange, time: 'first' | 'again'): boolean {
  // A refusal of the repeated request does not state the outcome of the first one.
  if (time === 'again' && (exchange.status === 0 || NOT_ABOUT_THE_PAYMENT.has(exchange.status))) return true
  if (exchange.status === 0) return exchange.body !== 'ECONNREFUSED'
  return exchange.status < 400 || [500, 502, 503, 504].includes(exchange.status)
}

const NOT_ABOUT_THE_PAYMENT = new Set([401, 403, 429])

/** Finalizes a payment once: releases its hold, and books its total in the cycle of the hold. */
function close(
  deps: PaymentDeps,
  id: string,
  payment: Payment,
  end: Pick<Payment, 'status' | 'settled' | 'problem' | 'outcome'>,
): void {
  deps.store.change(id, (now) => {
    const open = now.payments.find((each) => each.id === payment.id)
    if (open?.status !== 'PENDING') return {}
    const cycle = now.cycles.find((each) => each.startSeconds === open.cycleStartSeconds)
    // Two concurrent requests for one hash each have a hold; only the first to finish is booked.
    const settled = end.settled !== null && wasPaid(now, open.paymentHash ?? null) ? 0 : end.settled
    return {
      payments: now.payments.map((each) => (each.id === open.id ? { ...each, ...end, settled } : each)),
      ...(cycle === undefined
        ? {}
        : {
            cycles: withCycle(now.cycles, {
              ...cycle,
              held: cycle.held - open.held,
              spent: cycle.spent + (settled ?? 0),
            }),
          }),
    }
  })
}

/** The current cycle of a limit; empty when nothing was paid in it yet. */
export function cycleOf(connection: Pick<Connection, 'cycles'>, limit: Limit, nowSeconds: number): Cycle {
  const empty = cycleAt(limit, nowSeconds)
  return connection.cycles.find((each) => each.startSeconds === empty.startSeconds) ?? empty
}

const KEPT_CYCLES = 60

function withCycle(cycles: readonly Cycle[], changed: Cycle): readonly Cycle[] {
  return [...cycles.filter((each) => each.startSeconds !== changed.startSeconds), changed].slice(-KEPT_CYCLES)
}
