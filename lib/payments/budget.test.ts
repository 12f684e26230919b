import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CURRENCY_CODES, rateOf, type CurrencyCode } from '../money/currencies'
import { budgetAmount } from './debit'

const code = fc.constantFrom(...CURRENCY_CODES)
const debit = fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: 1n, max: 10n ** 12n }))

/** Msats for one ledger unit; a satoshi's ledger units are msats. */
const ledgerRate = (each: CurrencyCode): { numerator: bigint; denominator: bigint } =>
  each === 'SAT' ? { numerator: 1n, denominator: 1n } : rateOf(each)

describe('the amount deducted from a budget', () => {
  it('is at least the value of the debit, and at least 1', () => {
    fc.assert(
      fc.property(debit, code, code, (amount, wallet, budget) => {
        const taken = budgetAmount(amount, wallet, budget, rateOf)
        expect(taken).toBeGreaterThanOrEqual(1n)
        const [from, to] = [ledgerRate(wallet), rateOf(budget)]
        expect(taken * to.numerator * from.denominator).toBeGreaterThanOrEqual(amount * from.numerator * to.denominator)
      }),
    )
  })

  it('exceeds the value of the debit by less than two units, one for each rounding', () => {
    fc.assert(
      fc.property(debit, code, code, (amount, wallet, budget) => {
        const taken = budgetAmount(amount, wallet, budget, rateOf)
        const [from, to] = [ledgerRate(wallet), rateOf(budget)]
        expect((taken - 2n) * to.numerator * from.denominator).toBeLessThan(amount * from.numerator * to.denominator)
      }),
    )
  })

  it('equals the debit when the wallet has the budget’s currency, in whole satoshis for SAT', () => {
    fc.assert(
      fc.property(debit, code, (amount, each) => {
        const expected = each === 'SAT' ? (amount + 999n) / 1_000n : amount
        expect(budgetAmount(amount, each, each, rateOf)).toBe(expected)
      }),
    )
  })

  it('never falls when the debit grows', () => {
    fc.assert(
      fc.property(debit, debit, code, code, (amount, more, wallet, budget) => {
        expect(budgetAmount(amount + more, wallet, budget, rateOf)).toBeGreaterThanOrEqual(
          budgetAmount(amount, wallet, budget, rateOf),
        )
      }),
    )
  })

  it.each([
    [110n, 'USD', 'SAT', 1_100n],
    [110n, 'USD', 'USD', 110n],
    [110n, 'USD', 'EUR', 102n],
    [1n, 'SAT', 'USD', 1n],
    [1n, 'SAT', 'KWD', 1n],
    [1n, 'SAT', 'SAT', 1n],
    [1_001n, 'SAT', 'SAT', 2n],
    [10_001n, 'SAT', 'USD', 2n],
    [154n, 'JPY', 'USD', 100n],
    [155n, 'JPY', 'USD', 101n],
  ] as const)('for a debit of %s %s and a budget in %s is %s', (amount, wallet, budget, expected) => {
    expect(budgetAmount(amount, wallet, budget, rateOf)).toBe(expected)
  })

  it('uses the rates stored with the payment, not today’s rates', () => {
    const thatDay = (each: CurrencyCode): { numerator: bigint; denominator: bigint } =>
      each === 'USD' ? { numerator: 20_000n, denominator: 1n } : rateOf(each)
    expect(budgetAmount(100n, 'USD', 'SAT', thatDay)).toBe(2_000n)
    expect(budgetAmount(100n, 'USD', 'USD', thatDay)).toBe(100n)
  })
})
