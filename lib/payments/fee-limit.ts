import { divide } from '../money/convert'

const LEAST_MSATS = 10_000n
const PERCENT = 100n

/**
 * What the route may take on top of an amount, in msats: the larger of 1 % (rounded up, since it is held for a payment) and
 * 10 satoshis. Only a payment that leaves this VASP has one.
 */
export function feeLimitOf(amountMsats: bigint): bigint {
  const onePercent = divide(amountMsats, PERCENT, 'up')
  return onePercent > LEAST_MSATS ? onePercent : LEAST_MSATS
}
