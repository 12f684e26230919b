/** A currency that wallets of this VASP can hold. Amounts on the API are whole numbers of its smallest unit. */
export interface Currency<Code extends string = string> {
  /** At most three characters: ISO 4217, or `SAT` for bitcoin in whole satoshis. */
  readonly code: Code
  readonly symbol: string
  readonly name: string
  /** Digits of the smallest unit: 2 for USD, 0 for JPY and SAT. */
  readonly decimals: number
}

/** The largest integer that JSON readers keep exact: 2^53 - 1. */
export const MAX_WIRE_INTEGER = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Converts a bigint to a JSON integer.
 * @throws RangeError outside -(2^53-1) to 2^53-1, where JSON readers lose digits.
 */
export function toWireInteger(value: bigint): number {
  if (value > MAX_WIRE_INTEGER || value < -MAX_WIRE_INTEGER) throw new RangeError('integer is too large for JSON')
  return Number(value)
}
