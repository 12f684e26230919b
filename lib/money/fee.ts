import { divide } from './ledger-units'

/** The whole amount, in basis points. */
const BPS = 10_000n

/** A fee of `bps` basis points of an amount, in the amount's unit, rounded up in favour of the operator. */
export function feeOf(amount: bigint, bps: number): bigint {
  return divide(amount * BigInt(bps), BPS, 'up')
}

/** The minimum amount that leaves `left` after the fee, rounded up. */
export function minDebitForOneMsat(left: bigint, bps: number): bigint {
  return divide(left * BPS, BPS - BigInt(bps), 'up')
}

/** The maximum amount that stays within `limit` with the fee added, rounded down. */
export function maxWithFee(limit: bigint, bps: number): bigint {
  return divide(limit * BPS, BPS + BigInt(bps), 'down')
}
