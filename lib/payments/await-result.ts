import type { Deps } from '../deps'
import { VaspError } from '../platform/errors'
import { paymentFailed } from './errors'
import type { Paid, PendingPayment } from './types'

/**
 * Waits for the end of a payment that is pending. The wait keeps no connection to the database.
 * @throws VaspError 400 PAYMENT_FAILED when it failed, 503 PAYMENT_FAILED when it was never sent, 504 INTERNAL when it did not
 * end in time: then it stays pending with its money held, until the node's final answer settles or releases it.
 */
export async function awaitResult(
  deps: Pick<Deps, 'paymentWorker' | 'settings' | 'log'>,
  result: Paid | PendingPayment,
): Promise<Paid> {
  if (!isPending(result)) return result
  const ended = await deps.paymentWorker.outcomeOf(result.paymentId, deps.settings.paymentWaitSeconds * 1000)
  if (ended?.state === 'succeeded') return ended.paid
  if (ended?.state === 'failed') throw paymentFailed(ended.failure)
  // A gateway books this as an error: should the payment succeed, its budget is behind by that much.
  deps.log.warn({ payment: String(result.paymentId), budgetDrift: 1 }, 'a payment was answered while still pending')
  throw new VaspError(504, 'INTERNAL', 'The payment is pending: it is on its way, and its outcome is not known yet.')
}

export function isPending(result: Paid | PendingPayment): result is PendingPayment {
  return 'paymentId' in result
}
