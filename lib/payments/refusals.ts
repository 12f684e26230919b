import type { Deps } from '../deps'
import { VaspError, badInput } from '../errors'
import { MOST_PAYMENT_MSATS } from '../money/limits'

/** Nobody here is paid by it, and no node that could be reached either. */
export function noRoute(deps: Pick<Deps, 'node'>, payee: string): VaspError {
  return new VaspError(
    400,
    'PAYMENT_FAILED',
    payee === deps.node.publicKeyHex
      ? 'This invoice is not known here any more.'
      : 'There is no route to the node of this payment. This VASP reaches its own people and the nodes in LIGHTNING_PEERS.',
  )
}

/** @throws VaspError 400 for more than one payment may be worth. */
export function refuseOverLimit(amountMsats: bigint): void {
  if (amountMsats > MOST_PAYMENT_MSATS) throw badInput('The amount is over the limit of one payment.')
}

export function tooExpensive(): VaspError {
  return new VaspError(400, 'QUOTA_EXCEEDED', 'This costs more than was agreed.')
}
