import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convert, MAX_WIRE_INTEGER, toWireInteger } from './convert'
import { CURRENCY_CODES, currencyOf, multiplierOf, rateOf } from './currencies'
import { divide } from './ledger-units'
import { limitsOf } from './limits'

const code = fc.constantFrom(...CURRENCY_CODES)
const amount = fc.bigInt({ min: 1n, max: MAX_WIRE_INTEGER })

describe('convert', () => {
  it('rounds up to a result that converts back to at least the amount', () => {
    fc.assert(
      fc.property(amount, code, code, (value, from, to) => {
        const up = convert(value, from, to, 'up', rateOf)
        expect(up).toBeGreaterThanOrEqual(1n)
        expect(convert(up, to, from, 'down', rateOf)).toBeGreaterThanOrEqual(value)
      }),
    )
  })

  it('rounds down to a result that converts back to at most the amount', () => {
    fc.assert(
      fc.property(amount, code, code, (value, from, to) => {
        expect(convert(convert(value, from, to, 'down', rateOf), to, from, 'down', rateOf)).toBeLessThanOrEqual(value)
      }),
    )
  })

  it('gives the identical integer for the same currency', () => {
    fc.assert(fc.property(amount, code, (value, each) => convert(value, each, each, 'up', rateOf) === value))
  })

  it('differs by at most one unit between rounding up and rounding down', () => {
    fc.assert(
      fc.property(amount, code, code, (value, from, to) => {
        const gap = convert(value, from, to, 'up', rateOf) - convert(value, from, to, 'down', rateOf)
        expect(gap === 0n || gap === 1n).toBe(true)
      }),
    )
  })

  it.each([
    [100n, 'USD', 'SAT', 1_000n],
    [1n, 'SAT', 'USD', 1n],
    [1n, 'JPY', 'USD', 1n],
    [154n, 'JPY', 'USD', 100n],
    [1n, 'KWD', 'SAT', 4n],
  ] as const)('turns %s %s into %s, rounded up: %s', (value, from, to, expected) => {
    expect(convert(value, from, to, 'up', rateOf)).toBe(expected)
  })
})

describe('a RangeError', () => {
  it('is thrown for integers that JSON readers would round', () => {
    expect(toWireInteger(MAX_WIRE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => toWireInteger(MAX_WIRE_INTEGER + 1n)).toThrow(RangeError)
    expect(() => toWireInteger(-MAX_WIRE_INTEGER - 1n)).toThrow(RangeError)
  })

  it('is thrown for a negative dividend and for a divisor of zero', () => {
    expect(() => divide(-1n, 2n, 'up')).toThrow(RangeError)
    expect(() => divide(1n, 0n, 'up')).toThrow(RangeError)
  })
})

describe('the tables', () => {
  it.each(CURRENCY_CODES)('contain a positive rate, a multiplier and limits for %s', (each) => {
    expect(rateOf(each).numerator).toBeGreaterThan(0n)
    expect(rateOf(each).denominator).toBeGreaterThan(0n)
    expect(multiplierOf(each, rateOf)).toBeGreaterThan(0)
    expect(limitsOf(each, rateOf).min).toBe(1n)
    expect(limitsOf(each, rateOf).max).toBeGreaterThan(limitsOf(each, rateOf).min)
    expect(currencyOf(each).decimals).toBe({ SAT: 0, JPY: 0, KWD: 3 }[each as string] ?? 2)
  })
})
