import { CURRENCY_LIST, type ListedCurrency } from './currency-list'

/** A currency as the API and the pages name it. */
export interface Currency extends Omit<ListedCurrency, 'price'> {
  readonly code: CurrencyCode
}

export type CurrencyCode = keyof typeof CURRENCY_LIST

/** The codes in the order of the list. */
export const CURRENCY_CODES = Object.keys(CURRENCY_LIST) as readonly string[] as readonly CurrencyCode[]

/** Name, symbol and decimals of a currency of this VASP. */
export function currencyOf(code: CurrencyCode): Currency {
  const { symbol, name, decimals } = CURRENCY_LIST[code]
  return { code, symbol, name, decimals }
}

/** True for a code of this VASP, spelled exactly. False for lower case, and for inherited names such as `constructor`. */
export function isCurrencyCode(value: string): value is CurrencyCode {
  return (CURRENCY_CODES as readonly string[]).includes(value)
}

/** A price as an exact ratio: `numerator / denominator` millisatoshis per smallest unit of the currency. */
export interface Rate {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The rates at one moment: millisatoshis per smallest unit of a currency. */
export type RateTable = (code: CurrencyCode) => Rate

/** The listed rate, as a fraction. The rates of a payment are those of its snapshot (`lib/ledger/rate-snapshot.ts`). */
export function rateOf(code: CurrencyCode): Rate {
  const [numerator, denominator] = CURRENCY_LIST[code].price
  return { numerator, denominator }
}

/** The protocol's floating-point `multiplier`, computed from the fraction when it is sent, and never read back. */
export function multiplierOf(code: CurrencyCode, rates: RateTable): number {
  const rate = rates(code)
  return Number(rate.numerator) / Number(rate.denominator)
}
