import { divide } from '../../money/ledger-units'

/** A multiplier of the protocol as an exact ratio: millisatoshis per smallest unit. */
export interface Multiplier {
  readonly numerator: bigint
  readonly denominator: bigint
}

const LEAST = 1e-6
const MOST = 1e15

/**
 * The exact value of a floating-point number from another VASP, for checks with integers: a float is a whole number
 * divided by a power of two. Undefined for an invalid price: zero, negative, not finite, or out of range.
 */
export function readMultiplier(value: number): Multiplier | undefined {
  if (!(value >= LEAST && value <= MOST)) return undefined
  let [numerator, denominator] = [value, 1n]
  while (!Number.isInteger(numerator)) [numerator, denominator] = [numerator * 2, denominator * 2n]
  return { numerator: BigInt(numerator), denominator }
}

/** Whether two prices differ by at most `percent` % of the first. */
export function isWithinPercent(first: Multiplier, second: Multiplier, percent: bigint): boolean {
  const [a, b] = [first.numerator * second.denominator, second.numerator * first.denominator]
  const apart = a > b ? a - b : b - a
  return apart * 100n <= a * percent
}

/** A floating-point price may be off by this fraction in either direction; its own precision is an eighth of that. */
const FLOAT_PART = 2n ** 50n

/**
 * The value of millisatoshis in whole smallest units at another VASP's price, rounded down. An amount that is a whole
 * number of units at the exact price stays that number, although the floating-point price may be slightly higher.
 */
export function unitsWorth(msats: bigint, price: Multiplier): bigint {
  const worth = msats * price.denominator
  return divide(worth * (FLOAT_PART + 1n), price.numerator * FLOAT_PART, 'down')
}
