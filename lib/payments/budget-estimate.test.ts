import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WalletAccount } from '../ledger/accounts'
import { CURRENCY_CODES, rateOf, type CurrencyCode } from '../money/currencies'
import { msatsInLedgerUnits, toLedgerUnits } from '../money/ledger-units'
import { estimateBudget } from './budget-estimate'
import { budgetAmount, feeLimitOf, firstThatCovers, internalDebit, lightningDebit } from './debit'

const wallet = (code: CurrencyCode, available: bigint): WalletAccount => ({
  walletId: 1n,
  accountId: 1n,
  code,
  available,
  held: 0n,
})
type Owned = Parameters<typeof estimateBudget>[0]

const code = fc.constantFrom(...CURRENCY_CODES)
const available = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 10n ** 9n }))
const wallets = fc
  .uniqueArray(code, { minLength: 1, maxLength: 4 })
  .chain((codes) => fc.tuple(...codes.map((each) => available.map((units) => wallet(each, units)))))
  .map((all) => all as unknown as Owned)
const msats = fc.oneof(
  fc.bigInt({ min: 1n, max: 200_000n }),
  fc.bigInt({ min: 1n, max: 10n ** 7n }),
  fc.bigInt({ min: 1n, max: 10n ** 10n }),
)
/** A gateway requests the estimate for whole satoshis, rounded up, before it pays an invoice or sends a keysend. */
const inWholeSats = (amountMsats: bigint): bigint => (amountMsats + 999n) / 1_000n

describe('the budget estimate', () => {
  it('is never exceeded by a payment inside this VASP', () => {
    fc.assert(
      fc.property(wallets, msats, code, (owned, amountMsats, budget) => {
        const payer = firstThatCovers(owned, internalDebit(amountMsats, rateOf))
        if (payer === undefined) return
        const booked = budgetAmount(
          msatsInLedgerUnits(amountMsats, payer.code, 'up', rateOf),
          payer.code,
          budget,
          rateOf,
        )
        const estimate = estimateBudget(owned, { amount: inWholeSats(amountMsats), code: 'SAT' }, budget, rateOf)
        expect(estimate).toBeGreaterThanOrEqual(booked)
      }),
      { numRuns: 3_000 },
    )
  })

  it('is never exceeded by a payment to another node, for any network fee up to its limit', () => {
    const share = fc.bigInt({ min: 0n, max: 100n })
    fc.assert(
      fc.property(wallets, msats, code, share, (owned, amountMsats, budget, percent) => {
        const payer = firstThatCovers(owned, lightningDebit(amountMsats, rateOf))
        if (payer === undefined) return
        const feeMsats = (feeLimitOf(amountMsats) * percent) / 100n
        const debit = msatsInLedgerUnits(amountMsats + feeMsats, payer.code, 'up', rateOf)
        const estimate = estimateBudget(owned, { amount: inWholeSats(amountMsats), code: 'SAT' }, budget, rateOf)
        expect(estimate).toBeGreaterThanOrEqual(budgetAmount(debit, payer.code, budget, rateOf))
      }),
      { numRuns: 3_000 },
    )
  })

  it('equals the debit of a quote or of a payment to an address with that total, and is at least the debit for a total in SAT', () => {
    const total = fc.bigInt({ min: 1n, max: 10n ** 7n })
    fc.assert(
      fc.property(wallets, total, code, code, (owned, amount, sending, budget) => {
        const estimate = estimateBudget(owned, { amount, code: sending }, budget, rateOf)
        const booked = budgetAmount(toLedgerUnits(amount, sending), sending, budget, rateOf)
        if (sending === 'SAT') expect(estimate).toBeGreaterThanOrEqual(booked)
        else expect(estimate).toBe(booked)
      }),
    )
  })

  it('uses the wallet that would pay, even if a later wallet would cost more', () => {
    const owned: Owned = [wallet('JPY', 10_000n), wallet('USD', 10_000n)]
    // 1 sat and its fee limit of 10 sat are 2 yen, worth 13 sat. From the dollar wallet they would be 2 cents, worth 20 sat.
    expect(estimateBudget(owned, { amount: 1n, code: 'SAT' }, 'SAT', rateOf)).toBe(13n)
  })

  it('rounds up twice when the wallet and the budget have different currencies', () => {
    const owned: Owned = [wallet('USD', 124_050n)]
    const booked = budgetAmount(msatsInLedgerUnits(353_333n, 'USD', 'up', rateOf), 'USD', 'EUR', rateOf)
    expect(booked).toBe(34n)
    expect(estimateBudget(owned, { amount: 354n, code: 'SAT' }, 'EUR', rateOf)).toBe(35n)
  })

  it('uses the default wallet when no wallet covers the amount', () => {
    expect(estimateBudget([wallet('USD', 0n), wallet('JPY', 0n)], { amount: 1_000n, code: 'SAT' }, 'USD', rateOf)).toBe(
      101n,
    )
  })
})
