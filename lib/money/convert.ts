import type { CurrencyCode, RateTable } from './currencies'
import { divide, type Rounding } from './ledger-units'

/** The largest integer that JSON readers keep exact: 2^53 - 1. The API accepts and returns no larger amount. */
export const MAX_WIRE_INTEGER = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Converts an amount in the smallest unit of `from` to the smallest unit of `to`, at the given rates. Both rates are applied at
 * once, so that there is one division and one rounding. The same currency gives the identical integer.
 */
export function convert(
  amount: bigint,
  from: CurrencyCode,
  to: CurrencyCode,
  rounding: Rounding,
  rates: RateTable,
): bigint {
  if (from === to) return amount
  const source = rates(from)
  const target = rates(to)
  return divide(amount * source.numerator * target.denominator, source.denominator * target.numerator, rounding)
}

/**
 * Turns a bigint into a JSON integer.
 * @throws RangeError outside -(2^53-1) to 2^53-1, where JSON readers would lose digits.
 */
export function toWireInteger(value: bigint): number {
  if (value > MAX_WIRE_INTEGER || value < -MAX_WIRE_INTEGER) throw new RangeError('integer is too large for JSON')
  return Number(value)
}
