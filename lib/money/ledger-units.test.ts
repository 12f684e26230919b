import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convert } from './convert'
import { CURRENCY_CODES, currencyOf, rateOf, type CurrencyCode } from './currencies'
import { fromLedgerUnits, ledgerDecimals, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from './ledger-units'

const code = fc.constantFrom(...CURRENCY_CODES)
const units = fc.bigInt({ min: 0n, max: 10n ** 15n })
const direction = fc.constantFrom('up' as const, 'down' as const)

describe('ledger units', () => {
  it('are thousandths of a satoshi for SAT, and the smallest unit of every other currency', () => {
    expect(toLedgerUnits(21n, 'SAT')).toBe(21_000n)
    for (const each of CURRENCY_CODES.filter((other) => other !== 'SAT')) expect(toLedgerUnits(21n, each)).toBe(21n)
  })

  it('convert an API amount there and back without a change, in every currency and rounding', () => {
    fc.assert(
      fc.property(units, code, direction, (amount, each, rounding) => {
        expect(fromLedgerUnits(toLedgerUnits(amount, each), each, rounding)).toBe(amount)
      }),
    )
  })

  it.each([
    [12_345n, 'SAT', 'up', 13n],
    [12_345n, 'SAT', 'down', 12n],
    [999n, 'SAT', 'down', 0n],
    [1n, 'SAT', 'up', 1n],
    [12_345n, 'USD', 'up', 12_345n],
    [12_345n, 'KWD', 'down', 12_345n],
  ] as const)('%s of %s, rounded %s, are %s as an API amount', (amount, each, rounding, expected) => {
    expect(fromLedgerUnits(amount, each, rounding)).toBe(expected)
  })

  it('are written with the decimals of their currency, and with three for SAT', () => {
    for (const each of CURRENCY_CODES) expect(ledgerDecimals(each)).toBe(each === 'SAT' ? 3 : currencyOf(each).decimals)
  })
})

describe('the value of ledger units', () => {
  it('is exact for bitcoin, in both directions', () => {
    fc.assert(
      fc.property(units, direction, (amount, rounding) => {
        expect(worthInMsats(amount, 'SAT', rounding, rateOf)).toBe(amount)
        expect(msatsInLedgerUnits(amount, 'SAT', rounding, rateOf)).toBe(amount)
      }),
    )
  })

  it('lies within one millisatoshi of the rate’s exact fraction, on the requested side', () => {
    fc.assert(
      fc.property(units, code, (amount, each) => {
        const { numerator, denominator } = exactWorth(amount, each)
        const [down, up] = [worthInMsats(amount, each, 'down', rateOf), worthInMsats(amount, each, 'up', rateOf)]
        expect(down * denominator).toBeLessThanOrEqual(numerator)
        expect(up * denominator).toBeGreaterThanOrEqual(numerator)
        expect(up - down).toBe(numerator % denominator === 0n ? 0n : 1n)
      }),
    )
  })

  it('never grows when it is rounded down twice, and never shrinks when it is rounded up twice', () => {
    fc.assert(
      fc.property(units, code, (amount, each) => {
        expect(
          msatsInLedgerUnits(worthInMsats(amount, each, 'down', rateOf), each, 'down', rateOf),
        ).toBeLessThanOrEqual(amount)
        expect(msatsInLedgerUnits(worthInMsats(amount, each, 'up', rateOf), each, 'up', rateOf)).toBeGreaterThanOrEqual(
          amount,
        )
        expect(
          worthInMsats(msatsInLedgerUnits(amount, each, 'up', rateOf), each, 'down', rateOf),
        ).toBeGreaterThanOrEqual(amount)
        expect(worthInMsats(msatsInLedgerUnits(amount, each, 'down', rateOf), each, 'up', rateOf)).toBeLessThanOrEqual(
          amount,
        )
      }),
    )
  })

  it('agrees with the estimate that a gateway receives', () => {
    fc.assert(
      fc.property(units, code, direction, (amount, each, rounding) => {
        expect(convert(amount, 'SAT', each, rounding, rateOf)).toBe(
          fromLedgerUnits(msatsInLedgerUnits(toLedgerUnits(amount, 'SAT'), each, rounding, rateOf), each, rounding),
        )
      }),
    )
  })

  it('uses the given rates, not today’s', () => {
    const doubled = (each: CurrencyCode): { numerator: bigint; denominator: bigint } => ({
      numerator: rateOf(each).numerator * 2n,
      denominator: rateOf(each).denominator,
    })
    expect(worthInMsats(100n, 'USD', 'up', doubled)).toBe(2n * worthInMsats(100n, 'USD', 'up', rateOf))
    expect(msatsInLedgerUnits(2_000_000n, 'USD', 'up', doubled)).toBe(100n)
  })
})

function exactWorth(amount: bigint, each: CurrencyCode): { numerator: bigint; denominator: bigint } {
  if (each === 'SAT') return { numerator: amount, denominator: 1n }
  return { numerator: amount * rateOf(each).numerator, denominator: rateOf(each).denominator }
}
