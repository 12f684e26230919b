import { divide } from './ledger-units'

/** Hundredths of a per cent. */
const BPS = 10_000n

/** A fee of so many hundredths of a per cent of an amount, in the amount's own unit, rounded up: for the house. */
export function feeOf(amount: bigint, bps: number): bigint {
  return divide(amount * BigInt(bps), BPS, 'up')
}

/** The least amount of which so much is left when the fee is taken out of it, rounded up. */
export function minDebitForOneMsat(left: bigint, bps: number): bigint {
  return divide(left * BPS, BPS - BigInt(bps), 'up')
}

/** The most that is not over a limit when the fee is put on top of it, rounded down. */
export function maxWithFee(limit: bigint, bps: number): bigint {
  return divide(limit * BPS, BPS + BigInt(bps), 'down')
}
