import type { TheirFault, VaspError } from '../platform/errors'

/** Why a page has no price to show, as one word for its address bar: `their-…` where the other side is at fault. */
export type PriceProblem = 'price' | 'small' | 'uma' | 'route' | 'busy' | `their-${TheirFault}`

/**
 * @param otherwise what is left when neither the other side nor the way to it is at fault. A refused UMA invoice is that too:
 * what its VASP refuses is the invoice, which the page knows more about than they say.
 */
export function priceProblem(
  { code, options }: Pick<VaspError, 'code' | 'options'>,
  otherwise: 'price' | 'uma',
): PriceProblem {
  if (code === 'PAYMENT_FAILED') return 'route'
  if (code === 'RATE_LIMITED') return 'busy'
  if (options.isTooSmall === true) return 'small'
  const { theirs } = options
  const isOfInvoice = otherwise === 'uma' && (theirs === 'refused' || theirs === 'barred')
  return theirs === undefined || isOfInvoice ? otherwise : `their-${theirs}`
}
