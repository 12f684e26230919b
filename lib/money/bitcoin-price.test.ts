import { expect, it } from 'vitest'
import { MOVABLE_CODES, PRICE_STEPS, priceRange, rateAtPrice, unitsPerBitcoin } from './bitcoin-price'
import { rateOf } from './currencies'

it('every listed rate is exact as a price of one bitcoin', () => {
  for (const code of MOVABLE_CODES) {
    const { numerator, denominator } = rateOf(code)
    const same = rateAtPrice(unitsPerBitcoin(rateOf(code)))
    expect(same.numerator * denominator).toBe(numerator * same.denominator)
  }
  expect(unitsPerBitcoin(rateOf('USD'))).toBe(10_000_000n)
  expect(unitsPerBitcoin(rateOf('KWD'))).toBe(30_700_000n)
})

it('every listed price can move by one step, and no allowed price makes a unit worth less than two millisatoshis', () => {
  for (const code of MOVABLE_CODES) {
    const { min, max } = priceRange(code)
    const listed = unitsPerBitcoin(rateOf(code))
    for (const percent of PRICE_STEPS) {
      const moved = (listed * BigInt(100 + percent)) / 100n
      expect(moved >= min && moved <= max).toBe(true)
    }
    expect(rateAtPrice(max).numerator / max).toBeGreaterThanOrEqual(2n)
  }
  expect(priceRange('USD')).toEqual({ min: 1_000_000n, max: 100_000_000n })
  expect(priceRange('NGN').max).toBe(50_000_000_000n)
})
