import type { Application } from '@/lib/backend/application'
import { isPending } from '@/lib/payments/service'
import type { Paid, PendingPayment } from '@/lib/payments/types'
import { isVaspError, type VaspError } from '@/lib/platform/errors'

/** Most payments end within this time, so that the next page already shows the result. */
const PATIENCE_MS = 3_000

/** Pays, and awaits the result for a few seconds. @returns the refusal, if it is one that the page of the form explains. */
export async function payAndAwait(
  { paymentWorker }: Pick<Application, 'paymentWorker'>,
  pay: () => Promise<Paid | PendingPayment>,
): Promise<VaspError | undefined> {
  try {
    const result = await pay()
    if (isPending(result)) await paymentWorker.waitForEnd(result.paymentId, PATIENCE_MS)
    return undefined
  } catch (error) {
    if (isVaspError(error) && [400, 429].includes(error.status)) return error
    throw error
  }
}
