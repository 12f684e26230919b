import type { VaspError } from '@/lib/platform/errors'
import type { FormError } from '@/lib/web/form-errors'

/** Why an amount cannot be converted, for the form of the wallet. */
export function conversionProblem({ code }: VaspError): FormError {
  return { field: 'amount', code: code === 'INSUFFICIENT_BALANCE' ? 'too-much' : 'invalid' }
}
