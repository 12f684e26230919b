import type { Deps } from '../deps'

/**
 * Cancels at our node the invoice of a payment that was settled inside this VASP, so that nobody outside pays it too. Call it
 * after the settlement is committed and do not wait for it: it never rejects. What was paid from outside before reaches the
 * suspense account as an incoming payment.
 */
export async function cancelAtNode({ node, log }: Pick<Deps, 'node' | 'log'>, paymentHash: string): Promise<void> {
  try {
    if ((await node.cancelInvoice(paymentHash)) === 'settled')
      log.warn(
        { paymentHash },
        'an invoice was settled inside and paid from outside: the second payment waits in suspense',
      )
  } catch (error) {
    log.warn({ error, paymentHash }, 'an invoice that was settled inside could not be cancelled at the node')
  }
}
