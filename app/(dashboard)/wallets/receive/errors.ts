import type { ErrorTexts, FormError } from '@/lib/platform/http/form-errors'
import type { RequestProblem } from '@/lib/uma/invoices/request-problem'

/** Errors of the form for a Lightning invoice. */
export const INVOICE_ERRORS: ErrorTexts = {
  'amount.invalid':
    'The amount cannot be asked for in this wallet, so no invoice was made. Type a positive number of up to 0.1 bitcoin in worth, with no more decimals than the currency has, or leave it empty.',
  'description.invalid':
    'The memo is too long or holds characters that do not print, so no invoice was made. Shorten it.',
}

/** Errors of the form for a UMA invoice. */
export const UMA_INVOICE_ERRORS: ErrorTexts = {
  'uma-amount.invalid':
    'The amount cannot be asked for in this wallet, so no UMA invoice was made. Type a positive number of up to 0.1 bitcoin in worth, with no more decimals than the currency has.',
  'uma-currency.unknown': 'You have no such wallet, so no UMA invoice was made. Choose one of yours.',
  'payer.invalid':
    'This is not a UMA address, so the payer was not asked and no UMA invoice was made. Write it as $name@domain, or leave it empty and give the invoice to the payer.',
  'payer.unknown':
    'No one has that address, so the payer was not asked and no UMA invoice was made. Check its spelling, or leave it empty and give the invoice to the payer.',
  'payer.many':
    'Too much was asked for at once, or too many requests wait with them already, so the payer was not asked and no UMA invoice was made. Try again later, or leave the address empty.',
  'payer.their-timeout':
    'Their VASP did not say whether it has the request. Send it again as it stands here: if they have it, it stays one request and can be paid once.',
  'payer.their-refused':
    'Their VASP did not take the request, so the payer was not asked. Leave the address empty, and give the UMA invoice to the payer.',
  'payer.their-unusable':
    'Their VASP gave an answer that cannot be used, so the payer was not asked. Leave the address empty, and give the UMA invoice to the payer.',
  'payer.their-closed':
    'Their VASP is not one that this VASP connects to, so the payer was not asked. Leave the address empty, and give the UMA invoice to the payer.',
}

/**
 * The answers of another VASP are about the payer's address. Silence does not say whether that VASP has the request: sent
 * again, it must be the same invoice.
 */
export function requestError(problem: RequestProblem, requestId: string): FormError {
  if (problem === 'uma-amount') return { field: 'uma-amount', code: 'invalid' }
  return {
    field: 'payer',
    code: problem === 'nobody' ? 'unknown' : problem,
    ...(problem === 'their-timeout' && { resend: { request_id: requestId } }),
  }
}
