import type { CurrencyCode } from './currencies'
import { CURRENCY_LIST } from './currency-list'

export { RATES_AS_OF } from './currency-list'

/** A price as an exact ratio: `numerator / denominator` millisatoshis for one smallest unit of the currency. */
export interface Rate {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Millisatoshis for one smallest unit of a currency, as a fraction. */
export function rateOf(code: CurrencyCode): Rate {
  const [numerator, denominator] = CURRENCY_LIST[code].price
  return { numerator, denominator }
}

/** The protocol's floating `multiplier`, made from the fraction at the edge and never read back. */
export function multiplierOf(code: CurrencyCode): number {
  const rate = rateOf(code)
  return Number(rate.numerator) / Number(rate.denominator)
}
