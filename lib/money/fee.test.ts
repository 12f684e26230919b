import { describe, expect, test } from 'vitest'
import { feeOf, maxWithFee, minDebitForOneMsat } from './fee'

const AMOUNTS = [1n, 2n, 3n, 999n, 1_000n, 10_870n, 123_456_789n, 10_000_000_000n]

describe.each([0, 1, 100, 150, 333, 500])('a fee of %d basis points', (bps) => {
  test.each(AMOUNTS)('leaves %d of the minimum amount, and less of an amount one unit lower', (left) => {
    const least = minDebitForOneMsat(left, bps)
    expect(least - feeOf(least, bps)).toBeGreaterThanOrEqual(left)
    expect(least - 1n - feeOf(least - 1n, bps)).toBeLessThan(left)
  })

  test.each(AMOUNTS)('added to the maximum amount stays within %d, and added to one unit more does not', (limit) => {
    const most = maxWithFee(limit, bps)
    expect(most + feeOf(most, bps)).toBeLessThanOrEqual(limit)
    expect(most + 1n + feeOf(most + 1n, bps)).toBeGreaterThan(limit)
  })
})
