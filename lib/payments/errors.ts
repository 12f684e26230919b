import { VaspError } from '../platform/errors'
import type { Failure, LightningNode } from '../lightning/node'

const SENTENCES: Readonly<Record<Failure, string>> = {
  'no-route': 'There is no route to the recipient’s node.',
  away: 'The recipient’s node does not answer. Try again in a moment.',
  unknown: 'The recipient does not recognize this invoice.',
  expired: 'The invoice expired before the payment arrived. Ask for a new one.',
  paid: 'The recipient reports that this was paid already.',
  amount: 'The recipient does not accept this amount.',
  late: 'The payment took too long. Try again.',
  limit:
    'The recipient’s VASP takes no more payments from this VASP on credit. It does again when its own users have paid users here, or when its operator raises LIGHTNING_PEER_LIMIT_MSATS. Your wallet is not the cause.',
  'no-liquidity': 'This VASP’s Lightning node has too little capacity for this payment. Your wallet is not the cause.',
  timeout: 'No route to the recipient’s node was found in time. Try again in a moment.',
  other: 'The Lightning network refused this payment.',
  // Also for a payment that its recipient held until the invoice expired, so the advice names both cases.
  'never-sent':
    'The recipient’s node did not accept the payment in time, so this VASP gave it up. If the invoice is still valid, try again in a moment. If it has expired, ask for a new one.',
  gone: 'The recipient’s node is gone. The payment was abandoned.',
}

/** A payment that ran out: trying again cannot help, because its invoice has expired. */
const RAN_OUT = 'The recipient’s node did not accept the payment before the invoice expired. Ask for a new invoice.'

/** The text that a user reads about a failed payment. `expired`: the invoice of the payment has expired since. */
export function failureMessage(failure: Failure | null, expired = false): string {
  const ranOut = expired && (failure === 'never-sent' || failure === 'expired' || failure === 'late')
  const sentence = failure === null ? 'The payment failed.' : ranOut ? RAN_OUT : SENTENCES[failure]
  return `${sentence} Nothing was taken from your wallet.`
}

/**
 * 503 for `never-sent`, a payment that was given up before it was sent; 400 for any other failure. Either way, nothing was
 * taken from the wallet.
 */
export function paymentFailed(failure: Failure | null): VaspError {
  if (failure === 'never-sent')
    return new VaspError(503, 'PAYMENT_FAILED', failureMessage(failure), { headers: { 'Retry-After': '5' } })
  return new VaspError(400, 'PAYMENT_FAILED', failureMessage(failure))
}

/** For a payee whose node cannot be reached, and for an invoice of this VASP's node that the VASP no longer has. */
export function noRoute({ node }: { readonly node: Pick<LightningNode, 'identity'> }, payee: string): VaspError {
  return new VaspError(
    400,
    'PAYMENT_FAILED',
    payee === node.identity.publicKeyHex
      ? 'This VASP no longer has this invoice. Ask for a new one.'
      : 'There is no route to the recipient’s node. This VASP can pay its own users and the nodes that its Lightning node can reach.',
  )
}

export function tooExpensive(): VaspError {
  return new VaspError(400, 'QUOTA_EXCEEDED', 'This payment costs more than the agreed maximum.')
}
