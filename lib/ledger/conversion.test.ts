import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CURRENCY_CODES, rateOf, type CurrencyCode } from '../money/currencies'
import { msatsInLedgerUnits, worthInMsats } from '../money/ledger-units'
import type { HouseKind } from './accounts'
import { conversionLines, mergeLines, type Line } from './conversion'

const FROM = 1n
const TO = 2n
const KINDS: readonly HouseKind[] = ['lightning', 'fx', 'fees', 'rounding', 'faucet']
const house = (kind: HouseKind, code: CurrencyCode): bigint =>
  BigInt(100 * (KINDS.indexOf(kind) + 1) + CURRENCY_CODES.indexOf(code))

const code = fc.constantFrom(...CURRENCY_CODES)
const units = fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: 1n, max: 10n ** 12n }))

/** Any amount that a payment or an exchange could move. The credit is the debit's value, rounded down. */
const conversion = fc
  .tuple(units, code, code)
  .map(([amount, from, to]) => ({
    amount,
    from,
    to,
    arrives: msatsInLedgerUnits(worthInMsats(amount, from, 'down', rateOf), to, 'down', rateOf),
  }))
  .filter(({ arrives }) => arrives > 0n)

const linesOf = (from: CurrencyCode, amount: bigint, to: CurrencyCode, arrives: bigint): Line[] =>
  conversionLines(
    house,
    { accountId: FROM, code: from, amount, rates: rateOf },
    { accountId: TO, code: to, amount: arrives, rates: rateOf },
  )

/** One sum for each currency; each line counts in the currency of its account. */
function sums(lines: readonly Line[], from: CurrencyCode, to: CurrencyCode): Map<CurrencyCode, bigint> {
  const codeOf = (id: bigint): CurrencyCode => {
    if (id === FROM) return from
    if (id === TO) return to
    return CURRENCY_CODES[Number(id % 100n)] ?? 'SAT'
  }
  const totals = new Map<CurrencyCode, bigint>()
  for (const { accountId, amount } of lines) {
    totals.set(codeOf(accountId), (totals.get(codeOf(accountId)) ?? 0n) + amount)
  }
  return totals
}

describe('the lines of a conversion', () => {
  it('sum to zero in each currency', () => {
    fc.assert(
      fc.property(conversion, ({ amount, from, to, arrives }) => {
        for (const total of sums(mergeLines(linesOf(from, amount, to, arrives)), from, to).values()) {
          expect(total).toBe(0n)
        }
      }),
    )
  })

  it('debit and credit exactly the given amounts, and never credit more than the debit is worth', () => {
    fc.assert(
      fc.property(conversion, ({ amount, from, to, arrives }) => {
        const lines = mergeLines(linesOf(from, amount, to, arrives))
        expect(lines.find((line) => line.accountId === FROM)?.amount).toBe(-amount)
        expect(lines.find((line) => line.accountId === TO)?.amount).toBe(arrives)
        expect(exactWorth(arrives, to, from)).toBeLessThanOrEqual(exactWorth(amount, from, to))
      }),
    )
  })

  it('book the residue to the rounding account only, and it is not negative when the credit was rounded down', () => {
    fc.assert(
      fc.property(conversion, ({ amount, from, to, arrives }) => {
        fc.pre(from !== to || amount !== arrives)
        const lines = linesOf(from, amount, to, arrives)
        const residue = lines.filter((line) => line.accountId === house('rounding', 'SAT'))
        expect(residue).toHaveLength(1)
        expect(residue[0]?.amount).toBe(
          worthInMsats(amount, from, 'down', rateOf) - worthInMsats(arrives, to, 'up', rateOf),
        )
        expect(residue[0]?.amount).toBeGreaterThanOrEqual(0n)
        const known = [FROM, TO, house('rounding', 'SAT'), house('fx', from), house('fx', to), house('fx', 'SAT')]
        expect(lines.every((line) => known.includes(line.accountId))).toBe(true)
      }),
    )
  })

  it.each(CURRENCY_CODES)('need no exchange and leave no residue when the same amount of %s arrives', (each) => {
    expect(mergeLines(linesOf(each, 12_345n, each, 12_345n))).toEqual([
      { accountId: FROM, amount: -12_345n },
      { accountId: TO, amount: 12_345n },
    ])
  })

  it('debit the rounding account by at most one millisatoshi', () => {
    // One cent is worth 10,869.57 msats.
    const lines = linesOf('EUR', 1n, 'SAT', 10_870n)
    expect(lines.find((line) => line.accountId === house('rounding', 'SAT'))?.amount).toBe(-1n)
    for (const total of sums(lines, 'EUR', 'SAT').values()) expect(total).toBe(0n)
    expect(() => linesOf('EUR', 1n, 'SAT', 10_871n)).toThrow('a conversion would create money')
  })

  it.each([
    ['USD', 100n, 'SAT', 1_000_001n],
    ['SAT', 9_999n, 'USD', 1n],
    ['JPY', 1n, 'USD', 1n],
    ['USD', 1n, 'USD', 2n],
    ['SAT', 1n, 'SAT', 2n],
  ] as const)('are refused from %s %s to %s %s, which is worth more', (from, amount, to, arrives) => {
    expect(() => linesOf(from, amount, to, arrives)).toThrow('a conversion would create money')
  })
})

/** The exact worth as an integer: multiplied by the denominators of both rates. */
function exactWorth(amount: bigint, each: CurrencyCode, other: CurrencyCode): bigint {
  const numerator = each === 'SAT' ? 1n : rateOf(each).numerator
  const denominator = other === 'SAT' ? 1n : rateOf(other).denominator
  return amount * numerator * denominator
}
