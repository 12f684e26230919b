import type { VaspError } from '@/lib/platform/errors'
import type { PriceProblem } from '@/lib/quotes/errors'
import type { ErrorTexts, FormError } from '@/lib/web/form-errors'

const MANY = 'You have too many payments in progress. Nothing was paid. Try again when some have finished.'

/** Errors of the form that pays an invoice. */
export const PAY_INVOICE_ERRORS: ErrorTexts = {
  'amount.invalid': 'Enter a whole number of satoshis that this invoice accepts. Nothing was paid.',
  insufficient:
    'That wallet does not hold enough. Nothing was paid. Add money, convert some, or choose another wallet.',
  changed: 'The price has changed. Nothing was paid. Check the new price below.',
  'no-route':
    'No route to this invoice’s node. Nothing was paid. The sandbox can pay its own users and the nodes that its Lightning node reaches.',
  many: MANY,
  failed: 'The payment was refused. Nothing was paid. Check the invoice, or ask the recipient for a new one.',
}

/** Errors of the form that pays a quote. */
export const PAY_QUOTE_ERRORS: ErrorTexts = {
  insufficient:
    'That wallet does not hold enough. Nothing was paid. Add money, convert some, or choose another wallet.',
  'no-route': 'No route to the recipient’s node. Nothing was paid. Try again while the price is valid.',
  many: MANY,
  failed: 'The payment was refused. Nothing was paid. Get a new quote.',
}

/** Why a payment was refused. The page itself shows whether the invoice or quote has expired or was paid. */
export function paymentError({ code }: VaspError): FormError {
  if (code === 'INSUFFICIENT_BALANCE') return { code: 'insufficient' }
  if (code === 'RATE_LIMITED') return { code: 'many' }
  if (code === 'QUOTA_EXCEEDED') return { code: 'changed' }
  return { code: code === 'PAYMENT_FAILED' ? 'no-route' : 'failed' }
}

/** Errors of the forms that request a quote. */
export const QUOTE_ERRORS: ErrorTexts = {
  'wallet.unknown': 'You have no such wallet. Choose one of your wallets.',
  'currency.unknown': 'The recipient does not accept that currency. Choose one from the list.',
  'amount.invalid': 'That is not a valid amount. Use a point for decimals, for example 12.50.',
  'amount.price':
    'There is no price for that amount. Nothing was paid. Enter an amount that the recipient accepts, or try again in a moment.',
  'amount.small': 'That amount is below the recipient’s minimum. Nothing was paid. Enter a larger amount.',
  'amount.their-refused':
    'The recipient’s provider refused this payment. Nothing was paid. Try another amount or currency, or ask the recipient.',
  'comment.long': 'The comment is longer than the recipient’s provider accepts. Shorten it.',
  receiver: 'The recipient’s provider did not answer. Nothing was paid. Try again in a moment.',
  route:
    'No route to the recipient’s node, or each costs more than the price includes. Nothing was paid. The sandbox can pay its own users and the nodes that its Lightning node reaches.',
  uma: 'This UMA invoice cannot be paid. Nothing was paid. It may already have been paid, or it may be for someone else.',
  busy: 'Too many requests. Try again in a moment.',
  'their-timeout': 'The recipient’s provider did not answer in time. Nothing was paid. Try again in a moment.',
  'their-later': 'The recipient’s provider is not available right now. Nothing was paid. Try again later.',
  'their-barred':
    'The recipient’s provider does not accept payments from this server. Nothing was paid. Ask the recipient for another way to pay.',
  'their-unready':
    'The recipient’s provider reports that the recipient cannot receive payments right now. Nothing was paid. Try again later, or ask the recipient.',
  'their-unverified':
    'The recipient’s provider could not verify the messages of this server. Nothing was paid. Tell the operator of this server.',
  'their-unusable':
    'The recipient’s provider sent an invalid answer. Nothing was paid. Trying again will not help; the recipient should tell the provider.',
  'their-unsigned':
    'The recipient’s provider sent an answer without a valid signature. Nothing was paid. Check with the recipient before you try again.',
  'their-offer':
    'The recipient’s provider offered different terms from those requested, so we refused. Nothing was paid. Get a new quote. If this happens again, the recipient should tell the provider.',
  'their-unsupported_payer_data':
    'The recipient’s provider asks for details about you that we do not have. Nothing was paid. Ask the recipient for another way to pay.',
  'their-no_public_keys':
    'The recipient’s provider’s public keys are unavailable. Nothing was paid. Try again after a minute.',
  'their-bad_keys':
    'The recipient’s provider’s public keys or certificates are not valid. Nothing was paid. The recipient should tell the provider. We request the keys again after a minute.',
  'their-closed':
    'The recipient’s provider is not accepted by this server. Nothing was paid. Ask the recipient for an address at another provider.',
}

/** Another amount may help, so these errors are shown at the amount field. */
const OF_AMOUNT: ReadonlySet<PriceProblem> = new Set(['price', 'small', 'their-refused'])

/** @param quoted what the recipient's provider answered. */
export function priceError(problem: PriceProblem, quoted?: string): FormError {
  return {
    ...(OF_AMOUNT.has(problem) ? { field: 'amount' } : {}),
    code: problem,
    ...(quoted === undefined ? {} : { quoted: { page: '/wallets/send', text: quoted } }),
  }
}
