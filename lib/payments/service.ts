import { readWallets } from '../ledger/accounts'
import { insufficientBalance } from '../ledger/entry'
import { sqlState } from '../platform/db/sql-state'
import { VaspError } from '../platform/errors'
import { namePayment } from '../platform/trace'
import { firstThatCovers, refuseOverLimit } from './debit'
import { noRoute, paidAs, paymentFailed, tooExpensive, type PaidAs } from './errors'
import { findExistingPayment } from './idempotency'
import { internal } from './methods/internal'
import { lightning } from './methods/lightning'
import type { MethodPorts, PaymentPorts, Prepared } from './methods/method'
import type { Paid, PaymentIntent, PendingPayment } from './types'

/**
 * SQLSTATE of a statement that `lock_timeout` has cancelled. The statement has changed nothing. If a copy of the payment held the
 * lock, the payment joins that copy. The lookup takes no lock: without a copy, the caller receives the error after one timeout.
 */
const LOCK_NOT_AVAILABLE = '55P03'

/** Once this many copies of a request have failed, the request fails too. */
const MAX_COPIES = 20

/**
 * Pays from the first of the user's wallets that covers the payment. A payee of this VASP is paid immediately. For any other node
 * the money is held and the worker sends the payment: the result is pending. However often the same request arrives, even
 * concurrently, money moves once: a repetition receives the stored result, or joins the first request.
 * @throws VaspError 400 OTHER (expired, paid by another user, a different amount than before, over the limit), 400
 * INSUFFICIENT_BALANCE, 400 QUOTA_EXCEEDED (more than `maxDebit`), 400 PAYMENT_FAILED (no route, or twenty
 * failed copies), 404 NOT_FOUND (a keysend to an unknown user), 429 RATE_LIMITED (too many open payments), 503 (an audit found
 * a breach, or the process is stopping).
 */
export async function pay(ports: PaymentPorts, intent: PaymentIntent): Promise<Paid | PendingPayment> {
  namePayment({ paymentHash: intent.paymentHash })
  ports.audit.refusePaymentsAfterBreach()
  refuseOverLimit(intent.amountMsats)
  try {
    const rates = { ...ports.rates.current(), ofSnapshot: (id: string) => ports.rates.ofSnapshot(id) }
    return await tryWallets({ ...ports, rates }, intent)
  } catch (error) {
    const earlier = sqlState(error) === LOCK_NOT_AVAILABLE ? await findExistingPayment(ports.db, intent) : undefined
    if (earlier === undefined) throw error
    return earlier
  }
}

/**
 * Reads the wallets before the method prepares. If a copy of this request has just emptied the wallet, preparing finds that copy,
 * and the payment is not refused for lack of money. An attempt that a copy wins is not counted, because the copy may fail.
 */
async function tryWallets(ports: MethodPorts, intent: PaymentIntent): Promise<Paid | PendingPayment> {
  const allowed = new Set(intent.wallets.map(({ walletId }) => walletId))
  let { wallets } = intent
  // First with the balances as given, then once for each wallet, and a last time to see that none covers the payment.
  for (let tries = 0, copies = 0; tries <= allowed.size + 1;) {
    const prepared = await prepare(ports, intent, tries === 0 && copies === 0)
    if (prepared.kind === 'earlier') return prepared.result
    if (copies >= MAX_COPIES) throw paymentFailed(null, paidAs({ ...intent, isQuoted: intent.quote !== undefined }))
    const wallet = firstThatCovers(wallets, prepared.debitOf)
    if (wallet !== undefined) {
      if (intent.maxDebit !== undefined && prepared.debitOf(wallet) > intent.maxDebit) throw tooExpensive()
      const result = await prepared.start(wallet)
      if (typeof result === 'object') return result
      if (result === 'repeated') {
        copies += 1
        continue
      }
    } else if (tries > 0) throw insufficientBalance()
    tries += 1
    wallets = (await readWallets(ports.db, intent.username)).filter(({ walletId }) => allowed.has(walletId))
  }
  throw insufficientBalance()
}

const METHODS = [internal, lightning]

async function prepare(ports: MethodPorts, intent: PaymentIntent, isFirstTry: boolean): Promise<Prepared> {
  for (const method of METHODS) {
    const prepared = await method.prepare(ports, intent, isFirstTry)
    if (prepared !== undefined) return prepared
  }
  throw noRoute(ports, intent.payee)
}

/**
 * Waits until a pending payment ends. The wait holds no database connection.
 * @throws VaspError 400 PAYMENT_FAILED when it failed, 503 PAYMENT_FAILED when it was never sent, 504 INTERNAL when it did not
 * end in time: then it stays pending with its money held, until the node's final answer settles or releases it.
 */
export async function awaitResult(
  ports: Pick<PaymentPorts, 'paymentWorker' | 'settings' | 'log'>,
  result: Paid | PendingPayment,
  of: PaidAs,
): Promise<Paid> {
  if (!isPending(result)) return result
  namePayment({ id: result.paymentId })
  const ended = await ports.paymentWorker.waitForEnd(result.paymentId, ports.settings.paymentWaitSeconds * 1000)
  if (ended?.state === 'succeeded') return ended.paid
  if (ended?.state === 'failed') throw paymentFailed(ended.failure, of)
  // A gateway records this answer as a failure. If the payment succeeds later, the gateway has not deducted it from the budget.
  ports.log.warn({ payment: String(result.paymentId), budgetDrift: 1 }, 'a payment was answered while still pending')
  throw new VaspError(
    504,
    'INTERNAL',
    'The payment is pending: its result is not known yet. Look it up before you try again.',
  )
}

export function isPending(result: Paid | PendingPayment): result is PendingPayment {
  return 'paymentId' in result
}
