import type { RequestProblem } from '@/lib/uma/invoices/open'
import type { ErrorTexts, FormError } from '@/lib/web/form-errors'

/** Errors of the form for a Lightning invoice. */
export const INVOICE_ERRORS: ErrorTexts = {
  'amount.invalid':
    'Enter an amount worth up to 0.1 bitcoin, such as 12.50, or leave it empty. Use no more decimals than the currency has.',
  'description.invalid':
    'The memo is too long or contains characters that cannot be printed. Shorten it or remove them.',
}

/** Errors of the form for a UMA invoice. */
export const UMA_INVOICE_ERRORS: ErrorTexts = {
  'uma-amount.invalid':
    'Enter an amount worth up to 0.1 bitcoin, such as 12.50. Use no more decimals than the currency has.',
  'uma-currency.unknown': 'You have no such wallet. Choose one of your wallets.',
  'payer.invalid':
    'This is not a UMA address. The payer was not asked. Write it as $name@domain, or leave it empty and share the invoice yourself.',
  'payer.unknown':
    'No one has that address. The payer was not asked. Check the spelling, or leave it empty and share the invoice yourself.',
  'payer.many':
    'Too many requests. The payer was not asked. Try again later, or leave the address empty and share the invoice yourself.',
  'payer.their-timeout':
    'Their provider did not confirm the request. You can safely send it again: it will still be one request.',
  'payer.their-refused':
    'Their provider refused the request. The payer was not asked. Leave the address empty and share the UMA invoice yourself.',
  'payer.their-unusable':
    'Their provider sent an invalid answer. The payer was not asked. Leave the address empty and share the UMA invoice yourself.',
  'payer.their-closed':
    'Their provider is not accepted by this server. The payer was not asked. Leave the address empty and share the UMA invoice yourself.',
}

/**
 * The answers of another VASP are about the payer's address. A timeout does not show whether that VASP has the request, so a retry
 * must send the same invoice.
 */
export function requestError(problem: RequestProblem, requestId: string): FormError {
  if (problem === 'uma-amount') return { field: 'uma-amount', code: 'invalid' }
  return {
    field: 'payer',
    code: problem,
    ...(problem === 'their-timeout' && { resend: { request_id: requestId } }),
  }
}
