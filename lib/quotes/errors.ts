import type { RemoteFault, VaspError } from '../platform/errors'

/** Why a page has no price to show, as one word for its URL: `their-…` when the receiver's VASP is at fault. */
export type PriceProblem = 'price' | 'small' | 'uma' | 'route' | 'busy' | `their-${RemoteFault}`

/**
 * @param otherwise the word to use when no other word describes the error. Also used when a VASP refuses its own UMA
 * invoice, because the page has more information about the invoice than the refusal does.
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
