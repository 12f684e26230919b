import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CURRENCY_CODES } from './currencies'
import { commaProblem, formatAmount, inSats, parseAmount, readUnits } from './format'
import { toLedgerUnits } from './ledger-units'

const code = fc.constantFrom(...CURRENCY_CODES)
const LARGEST = 10n ** 15n
const smallestUnits = fc.oneof(fc.bigInt({ min: 1n, max: LARGEST }), fc.bigInt({ min: 1n, max: 100_000n }))

describe('an amount', () => {
  it('on the Lightning network is in satoshis, with a fraction only where it has one', () => {
    expect([3_000_000n, 12_345n, 0n].map(inSats)).toEqual(['3,000 SAT', '12.345 SAT', '0 SAT'])
  })

  it('is read back unchanged in every currency', () => {
    fc.assert(
      fc.property(smallestUnits, code, (amount, each) => {
        const units = toLedgerUnits(amount, each)
        expect(parseAmount(formatAmount(units, each), each)).toBe(units)
      }),
    )
  })

  it('is read the same without commas and with spaces around it', () => {
    fc.assert(
      fc.property(smallestUnits, code, (amount, each) => {
        const units = toLedgerUnits(amount, each)
        expect(parseAmount(` ${formatAmount(units, each).replaceAll(',', '')} `, each)).toBe(units)
      }),
    )
  })

  it('has a text that no other amount has', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -LARGEST, max: LARGEST }),
        fc.bigInt({ min: 1n, max: 2_000n }),
        code,
        (a, gap, each) => {
          expect(formatAmount(a, each)).not.toBe(formatAmount(a + gap, each))
        },
      ),
    )
  })

  it.each([
    [124_050n, 'USD', '1,240.50'],
    [5n, 'USD', '0.05'],
    [-5n, 'USD', '−0.05'],
    [0n, 'USD', '0.00'],
    [100_000_000n, 'USD', '1,000,000.00'],
    [300_000_000n, 'SAT', '300,000'],
    [12_345n, 'SAT', '12.345'],
    [45n, 'SAT', '0.045'],
    [-1_000n, 'SAT', '−1'],
    [0n, 'SAT', '0'],
    [15_000n, 'JPY', '15,000'],
    [-999n, 'JPY', '−999'],
    [75_000n, 'KWD', '75.000'],
    [9_007_199_254_740_993n, 'JPY', '9,007,199,254,740,993'],
  ] as const)('of %s units of %s is written %s', (units, each, text) => {
    expect(formatAmount(units, each)).toBe(text)
  })
})

describe('typed text', () => {
  it.each([
    ['12.5', 'USD', 1_250n],
    ['12', 'USD', 1_200n],
    ['1,000', 'USD', 100_000n],
    ['0.01', 'USD', 1n],
    ['007', 'JPY', 7n],
    ['21', 'SAT', 21_000n],
    ['0.001', 'KWD', 1n],
    ['10000000000000.00', 'USD', LARGEST],
    ['1,500', 'USD', 150_000n],
    ['1,240.50', 'USD', 124_050n],
    ['1,500', 'JPY', 1_500n],
    ['1,500', 'SAT', 1_500_000n],
    ['1,234.000', 'KWD', 1_234_000n],
    ['1,234.5', 'KWD', 1_234_500n],
    ['1,234,567', 'KWD', 1_234_567_000n],
    ['1234', 'KWD', 1_234_000n],
  ] as const)('%j in %s is read as %s ledger units', (text, each, units) => {
    expect(parseAmount(text, each)).toBe(units)
  })

  it.each([
    ['', 'USD'],
    ['0', 'USD'],
    ['0.00', 'USD'],
    ['-1', 'USD'],
    ['−1', 'USD'],
    ['+1', 'USD'],
    ['1e3', 'USD'],
    ['0x10', 'USD'],
    ['1.234', 'USD'],
    ['1.', 'USD'],
    ['.5', 'USD'],
    ['1.5.5', 'USD'],
    ['1,00', 'USD'],
    ['1,234', 'KWD'],
    ['12,345', 'KWD'],
    ['999,000', 'KWD'],
    ['0,500', 'KWD'],
    ['0,500', 'USD'],
    ['1.234,50', 'EUR'],
    ['1,0000', 'USD'],
    [',100', 'USD'],
    ['1,,000', 'USD'],
    ['1 000', 'USD'],
    ['12,50', 'USD'],
    ['１００', 'USD'],
    ['²', 'USD'],
    ['١', 'USD'],
    ['NaN', 'USD'],
    ['Infinity', 'USD'],
    ['1.0', 'JPY'],
    ['1.5', 'SAT'],
    ['12.345', 'SAT'],
    ['10000000000000.01', 'USD'],
    ['1000000000000001', 'SAT'],
    ['9'.repeat(10_000), 'USD'],
    ['1,000'.repeat(2_000), 'USD'],
  ] as const)('%.20j in %s is not an amount', (text, each) => {
    expect(parseAmount(text, each)).toBeUndefined()
  })

  it.each([
    ['1,234', 3, 'ambiguous', '1,234 can mean 1234 or 1.234. Type one of these.'],
    [' 0,500 ', 3, 'ambiguous', '0,500 can mean 500 or 0.500. Type one of these.'],
    ['1234,500', 3, 'comma', 'Use a point for decimals.'],
    ['12,50', 2, 'comma', 'Use a point for decimals.'],
    ['0,500', 2, 'comma', 'Use a point for decimals.'],
    ['1.240,50', 2, 'comma', 'Use a point for decimals.'],
    [',5', 2, 'comma', 'Use a point for decimals.'],
    ['1,5', 0, 'invalid', undefined],
    ['1.5', 0, 'invalid', undefined],
    ['a,b', 2, 'invalid', undefined],
  ] as const)('%j with %i decimals is refused as %s: %s', (text, decimals, problem, sentence) => {
    expect(readUnits(text, decimals)).toBe(problem)
    expect(commaProblem(text, decimals)).toBe(sentence)
  })

  it('is read as a positive amount of at most 10^15 smallest units, or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.,-+e '.split('')) })),
        code,
        (text, each) => {
          const units = parseAmount(text, each)
          if (units === undefined) return
          expect(units).toBeGreaterThan(0n)
          expect(units).toBeLessThanOrEqual(toLedgerUnits(LARGEST, each))
          expect(parseAmount(formatAmount(units, each), each)).toBe(units)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
