import type { LightningNode } from '../lightning/node'
import { refuseBelowNodeMinimum } from './debit'
import { noRoute, routeTooExpensive } from './errors'

/**
 * Refuses a payment that the node cannot send within the fee limit. It is a hint, before anything is held: `send` decides.
 * @throws VaspError 400.
 */
export async function refuseWithoutRoute(
  ports: { readonly node: Pick<LightningNode, 'identity' | 'mayReach'> },
  { payee, amountMsats, invoice }: { readonly payee: string; readonly amountMsats: bigint; readonly invoice: string },
  feeLimitMsats: bigint,
): Promise<void> {
  refuseBelowNodeMinimum(ports, amountMsats)
  const route = await ports.node.mayReach(payee, amountMsats, invoice)
  if (route === undefined) throw noRoute(ports, payee)
  if (route.feeMsats > feeLimitMsats) throw routeTooExpensive()
}
