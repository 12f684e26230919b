import { VaspError } from '../platform/errors'
import type { Failure, LightningNode } from '../lightning/node'

const SENTENCES: Readonly<Record<Failure, string>> = {
  'no-route': 'There is no route to the node of this payment.',
  away: 'The node of this payment does not answer. Try again in a moment.',
  unknown: 'The receiver does not know this invoice.',
  expired: 'The invoice had expired when the payment arrived. Ask for a new one.',
  paid: 'The receiver says that this was paid already.',
  amount: 'The receiver does not take this amount.',
  late: 'The payment took too long on its way.',
  limit: "The receiver's node takes no more from this VASP at the moment.",
  'no-liquidity':
    "This VASP's Lightning node has too little capacity for this payment. Your wallet was not the reason.",
  timeout: 'The payment found no way to its node in time. Try again in a moment.',
  other: 'The Lightning network refused this payment.',
  'never-sent': 'The payment was given up before it was sent. Try again in a moment.',
  gone: 'The node of this payment is gone, and the payment was given up.',
}

/** The text that a user reads about a failed payment. */
export function failureMessage(failure: Failure | null): string {
  return `${failure === null ? 'The payment failed.' : SENTENCES[failure]} Nothing was taken from your wallet.`
}

/**
 * 400, except where the payment never left because a process, its database or the payee's node was not available. The code says
 * in both cases that nothing was paid.
 */
export function paymentFailed(failure: Failure | null): VaspError {
  if (failure === 'never-sent')
    return new VaspError(503, 'PAYMENT_FAILED', failureMessage(failure), { headers: { 'Retry-After': '5' } })
  return new VaspError(400, 'PAYMENT_FAILED', failureMessage(failure))
}

/** The payee is not a user of this VASP, and its node cannot be reached. */
export function noRoute({ node }: { readonly node: Pick<LightningNode, 'identity'> }, payee: string): VaspError {
  return new VaspError(
    400,
    'PAYMENT_FAILED',
    payee === node.identity.publicKeyHex
      ? 'This invoice is not known here any more.'
      : 'There is no route to the node of this payment. This VASP reaches its own users and the nodes that its Lightning node knows.',
  )
}

export function tooExpensive(): VaspError {
  return new VaspError(400, 'QUOTA_EXCEEDED', 'This costs more than was agreed.')
}
