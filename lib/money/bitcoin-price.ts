import { CURRENCY_CODES, rateOf, type CurrencyCode, type Rate } from './currencies'
import { divide } from './ledger-units'

/** The currencies whose rates can move. A satoshi is a fixed fraction of a bitcoin. */
export type MovableCode = Exclude<CurrencyCode, 'SAT'>
export const MOVABLE_CODES = CURRENCY_CODES.filter((code): code is MovableCode => code !== 'SAT')

/** The percentages by which the sandbox desk moves the price of one bitcoin. */
export const PRICE_STEPS = [-10, -1, 1, 10] as const
export type PriceStep = (typeof PRICE_STEPS)[number]

const MSATS_PER_BITCOIN = 100_000_000_000n
/** Up to this price, one smallest unit is worth two millisatoshis or more, as at every listed rate. */
const MAX_UNITS_PER_BITCOIN = MSATS_PER_BITCOIN / 2n
/** A pinned price is at least a tenth of the listed price, and at most ten times it. */
const RANGE = 10n

/** The price of one bitcoin in smallest units of the currency, rounded down. Exact for a listed and for a pinned rate. */
export function unitsPerBitcoin({ numerator, denominator }: Rate): bigint {
  return divide(MSATS_PER_BITCOIN * denominator, numerator, 'down')
}

/** The rate at a price of one bitcoin in smallest units of the currency. */
export function rateAtPrice(units: bigint): Rate {
  return { numerator: MSATS_PER_BITCOIN, denominator: units }
}

/** The prices that can be pinned, in smallest units for one bitcoin. */
export function priceRange(code: MovableCode): { readonly min: bigint; readonly max: bigint } {
  const listed = unitsPerBitcoin(rateOf(code))
  const max = listed * RANGE
  return {
    min: divide(listed, RANGE, 'up'),
    max: max < MAX_UNITS_PER_BITCOIN ? max : MAX_UNITS_PER_BITCOIN,
  }
}
