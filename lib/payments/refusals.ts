import type { Deps } from '../deps'
import { VaspError } from '../platform/errors'

/** Nobody here is paid by it, and no node that could be reached either. */
export function noRoute(deps: Pick<Deps, 'node'>, payee: string): VaspError {
  return new VaspError(
    400,
    'PAYMENT_FAILED',
    payee === deps.node.identity.publicKeyHex
      ? 'This invoice is not known here any more.'
      : 'There is no route to the node of this payment. This VASP reaches its own users and the nodes that its Lightning node knows.',
  )
}

export function tooExpensive(): VaspError {
  return new VaspError(400, 'QUOTA_EXCEEDED', 'This costs more than was agreed.')
}
