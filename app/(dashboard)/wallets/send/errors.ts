import type { VaspError } from '@/lib/platform/errors'
import type { ErrorTexts, FormError } from '@/lib/platform/http/form-errors'
import type { PriceProblem } from '@/lib/quotes/errors'

const MANY =
  'Many of your payments are still in progress, so this one was not started. Your wallets show them; try again when some have ended.'

/** Errors of the form that pays an invoice. */
export const PAY_INVOICE_ERRORS: ErrorTexts = {
  'amount.invalid': 'The amount does not fit this invoice, so nothing was paid. Type a whole number of satoshis.',
  insufficient: 'That wallet no longer holds enough, so nothing was paid. Fund it, convert into it, or look again.',
  changed: 'The price has changed since you looked, so nothing was paid. This is what it costs now.',
  'no-route':
    'No route leads to the node of this invoice, so nothing was paid. This sandbox pays its own people and the nodes in its settings.',
  many: MANY,
  failed: 'The payment was refused, so nothing was paid. Look at the invoice again, or ask for a new one.',
}

/** Errors of the form that pays a quote. */
export const PAY_QUOTE_ERRORS: ErrorTexts = {
  insufficient: 'That wallet does not hold enough, so nothing was paid. Fund it, convert into it, or choose another.',
  'no-route':
    'The payment did not get through, and nothing was taken from your wallet. Try again while the price holds.',
  many: MANY,
  failed: 'The payment was refused, so nothing was paid. Ask for a new price.',
}

/** Why a payment was refused. The page itself shows whether the invoice or quote is expired or paid. */
export function paymentError({ code }: VaspError): FormError {
  if (code === 'INSUFFICIENT_BALANCE') return { code: 'insufficient' }
  if (code === 'RATE_LIMITED') return { code: 'many' }
  if (code === 'QUOTA_EXCEEDED') return { code: 'changed' }
  return { code: code === 'PAYMENT_FAILED' ? 'no-route' : 'failed' }
}

/** Errors of the forms that ask for a quote. */
export const QUOTE_ERRORS: ErrorTexts = {
  'wallet.unknown': 'You have no such wallet, so no price was asked for. Choose one of yours.',
  'currency.unknown': 'They do not take that currency, so no price was asked for. Choose one of theirs.',
  'amount.invalid':
    'The amount cannot be read, so no price was asked for. Type a positive number with no more decimals than its currency has.',
  'amount.price':
    'There is no price for this amount, so nothing was paid. Type one within what they take, or try again in a moment.',
  'amount.small':
    'The amount is worth less than the least that they take in that currency, so nothing was paid. Type a larger amount.',
  'amount.their-refused':
    'Their side refused to take this payment, so there is no price and nothing was paid. Try another amount or currency, or ask the receiver.',
  'comment.long': 'The comment is longer than they take, so no price was asked for. Write a shorter one.',
  receiver: 'Their side did not answer just now, so no price was asked for. Try again in a moment.',
  route:
    'No route leads to their node, so nothing was paid. This sandbox pays its own people and the nodes in its settings.',
  uma: 'There is no price for this UMA invoice, so nothing was paid. It may be paid already, or be for another payer.',
  busy: 'Too much was asked for at once, so no price was asked for. Try again in a moment.',
  'their-timeout':
    'Their side did not answer in time, so there is no price and nothing was paid. Try again in a moment.',
  'their-later': 'Their side cannot answer right now, so there is no price and nothing was paid. Try again later.',
  'their-barred':
    'Their side does not take payments from here, so there is no price and nothing was paid. Ask the receiver for another way to be paid.',
  'their-unready':
    'Their side says that the receiver cannot take payments right now, so nothing was paid. Try again later, or ask the receiver.',
  'their-unverified':
    'Their side could not verify the messages of this VASP, so nothing was paid. Tell the operator of this VASP.',
  'their-unusable':
    'Their side gave an answer that cannot be used, so there is no price and nothing was paid. Trying again will not help: the receiver can tell their VASP.',
  'their-unsigned':
    'Their side gave an answer that is not signed as it should be, so nothing was paid there. Ask the receiver in another way before you try again.',
  'their-offer':
    'Their side made another offer than was asked for, so it was refused here and nothing was paid. Ask for the price again; if that stays so, the receiver can tell their VASP.',
  'their-unsupported_payer_data':
    'Their side wants to know more of you than is known here, so there is no price and nothing was paid. Ask the receiver for another way to be paid.',
  'their-no_public_keys':
    'Their side does not show its public keys right now, so nothing was paid. Try again in some minutes.',
  'their-closed':
    'Their side is not spoken to from here, so nothing was paid. Ask the receiver for an address elsewhere.',
}

/** Another amount may get a price, so these errors are shown at the amount field. */
const OF_AMOUNT: ReadonlySet<PriceProblem> = new Set(['price', 'small', 'their-refused'])

export function priceError(problem: PriceProblem): FormError {
  return OF_AMOUNT.has(problem) ? { field: 'amount', code: problem } : { code: problem }
}
