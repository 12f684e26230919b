import { currencyOf, type CurrencyCode, type RateTable } from './currencies'

/**
 * Ledger units: the smallest unit of a currency, and millisatoshis for SAT, so that Lightning amounts are exact.
 * Only this file converts between ledger units and smallest units.
 */
const MSATS_PER_SAT = 1_000n

export type Rounding = 'up' | 'down'

/**
 * Divides non-negative integers with an explicit rounding: up for what a user pays, down for what a user receives.
 * @throws RangeError for a negative dividend or a divisor below 1 (a programming error).
 */
export function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (dividend < 0n || divisor < 1n) throw new RangeError('divide takes a dividend >= 0 and a divisor >= 1')
  const quotient = dividend / divisor
  return rounding === 'up' && dividend % divisor !== 0n ? quotient + 1n : quotient
}

/** An API amount (smallest units, whole satoshis for SAT) in ledger units. Exact. */
export function toLedgerUnits(smallestUnits: bigint, code: CurrencyCode): bigint {
  return code === 'SAT' ? smallestUnits * MSATS_PER_SAT : smallestUnits
}

/** Ledger units as an API amount. For SAT the rounding matters: up for a debit, down for a balance. */
export function fromLedgerUnits(units: bigint, code: CurrencyCode, rounding: Rounding): bigint {
  return code === 'SAT' ? divide(units, MSATS_PER_SAT, rounding) : units
}

/** The value of ledger units in millisatoshis. Exact for SAT. */
export function worthInMsats(units: bigint, code: CurrencyCode, rounding: Rounding, rates: RateTable): bigint {
  if (code === 'SAT') return units
  const rate = rates(code)
  return divide(units * rate.numerator, rate.denominator, rounding)
}

/** The value of millisatoshis in ledger units of a currency. Exact for SAT. */
export function msatsInLedgerUnits(msats: bigint, code: CurrencyCode, rounding: Rounding, rates: RateTable): bigint {
  if (code === 'SAT') return msats
  const rate = rates(code)
  return divide(msats * rate.denominator, rate.numerator, rounding)
}

/** Decimal places of ledger units as text: 3 for SAT, because its ledger units are thousandths. */
export function ledgerDecimals(code: CurrencyCode): number {
  return code === 'SAT' ? 3 : currencyOf(code).decimals
}
