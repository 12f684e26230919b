import { divide } from './convert'

/** Hundredths of a per cent. */
const BPS = 10_000n

/** A fee of so many hundredths of a per cent of an amount, in the amount's own unit, rounded up: for the house. */
export function feeOf(amount: bigint, bps: number): bigint {
  return divide(amount * BigInt(bps), BPS, 'up')
}
