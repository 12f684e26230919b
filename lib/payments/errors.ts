import type { Failure, LightningNode } from '../lightning/node'
import { VaspError } from '../platform/errors'

/** What a payment pays. An invoice and a quote expire, and each is renewed in its own way; a keysend has neither. */
export type PaidAs = 'invoice' | 'quote' | 'keysend'

export function paidAs(payment: { readonly invoice: string | null; readonly isQuoted: boolean }): PaidAs {
  if (payment.isQuoted) return 'quote'
  return payment.invoice === null ? 'keysend' : 'invoice'
}

const RENEW: Readonly<Record<PaidAs, string>> = {
  invoice: 'Ask for a new invoice.',
  quote: 'Get a new quote.',
  keysend: 'Try again in a moment.',
}

/** For a payment that was given up: it may have been held until the invoice or the quote expired, so both cases are named. */
const GIVEN_UP: Readonly<Record<PaidAs, string>> = {
  invoice: 'If the invoice is still valid, try again in a moment. If it has expired, ask for a new one.',
  quote: 'If the quote is still valid, try again in a moment. If it has expired, get a new one.',
  keysend: RENEW.keysend,
}

const SENTENCES: Readonly<Record<Exclude<Failure, 'expired' | 'never-sent'>, string>> = {
  'no-route': 'There is no route to the recipient’s node.',
  'fee-limit': 'Each route to the recipient’s node costs more than the maximum network fee of this payment.',
  away: 'The recipient’s node does not answer. Try again in a moment.',
  unknown: 'The recipient does not recognize this payment.',
  paid: 'The recipient reports that this was paid already.',
  amount: 'The recipient does not accept this amount.',
  late: 'The payment took too long. Try again.',
  limit:
    'The recipient’s VASP takes no more payments from this VASP on credit. It does again when its own users have paid users here, or when its operator raises LIGHTNING_PEER_LIMIT_MSATS. Your wallet is not the cause.',
  'no-liquidity': 'This VASP’s Lightning node has too little capacity for this payment. Your wallet is not the cause.',
  timeout: 'No route to the recipient’s node was found in time. Try again in a moment.',
  other: 'The Lightning network refused this payment.',
  gone: 'The recipient’s node is gone. The payment was abandoned.',
}

function sentenceOf(failure: Failure, of: PaidAs, expired: boolean): string {
  const ranOut = failure === 'expired' || (expired && (failure === 'never-sent' || failure === 'late'))
  if (ranOut && of !== 'keysend')
    return `The recipient’s node did not accept the payment before the ${of} expired. ${RENEW[of]}`
  if (failure === 'never-sent' || failure === 'expired')
    return `The recipient’s node did not accept the payment in time, so this VASP gave it up. ${GIVEN_UP[of]}`
  return SENTENCES[failure]
}

/** The text that a user reads about a failed payment. `expired`: its invoice or quote has expired since. */
export function failureMessage(failure: Failure | null, of: PaidAs, expired = false): string {
  const sentence = failure === null ? 'The payment failed.' : sentenceOf(failure, of, expired)
  return `${sentence} Nothing was taken from your wallet.`
}

/**
 * 503 for `never-sent`, a payment that was given up before it was sent; 400 for any other failure. Either way, nothing was
 * taken from the wallet.
 */
export function paymentFailed(failure: Failure | null, of: PaidAs): VaspError {
  const message = failureMessage(failure, of)
  if (failure === 'never-sent')
    return new VaspError(503, 'PAYMENT_FAILED', message, { headers: { 'Retry-After': '5' } })
  return new VaspError(400, 'PAYMENT_FAILED', message)
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

/** For a preview or a quote whose route costs more than the payment may. */
export function routeTooExpensive(): VaspError {
  return new VaspError(400, 'PAYMENT_FAILED', SENTENCES['fee-limit'])
}

export function tooExpensive(): VaspError {
  return new VaspError(400, 'QUOTA_EXCEEDED', 'This payment costs more than the agreed maximum.')
}
