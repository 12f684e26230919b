import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CURRENCY_CODES, rateOf } from '@/lib/money/currencies'
import { msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '@/lib/money/ledger-units'
import { limitsOf } from '@/lib/money/limits'
import { costOf, priceOfInvoice, priceOfTotal } from './price'

const FREE = { fxSpreadBps: 0, routingFeeBps: 0 }
const code = fc.constantFrom(...CURRENCY_CODES)
const bps = fc.integer({ min: 0, max: 1_000 })

describe('a price', () => {
  test('is the locked total, and the amount sent is the rest after fees, rounded down', () => {
    // 12.34 USD at 10,000 msats a cent, to yen, leaving this VASP: 1.00 % and 0.25 %, each rounded up: 13 and 4 cents.
    const price = priceOfTotal({ fxSpreadBps: 100, routingFeeBps: 25 }, 1_234n, {
      code: 'USD',
      receivingCode: 'JPY',
      leaves: true,
      rates: rateOf,
    })
    expect(price).toEqual({
      totalSendingAmount: 1_234n,
      debit: 1_234n,
      vaspFeeAmount: 17n,
      feeLimitMsats: 40_000n,
      amountMsats: 12_170_000n,
    })
  })

  test('is the cost of the invoice, rounded up, plus the fees when the receiving side is locked', () => {
    const settings = { fxSpreadBps: 100, routingFeeBps: 25 }
    expect(
      priceOfInvoice(settings, 12_170_001n, { code: 'USD', receivingCode: 'JPY', leaves: true, rates: rateOf }),
    ).toEqual({
      totalSendingAmount: 1_218n + 13n + 4n,
      debit: 1_235n,
      vaspFeeAmount: 17n,
      feeLimitMsats: 40_000n,
    })
  })

  test('is in whole satoshis for SAT, with the invoice exact to the millisatoshi', () => {
    const way = { code: 'SAT', receivingCode: 'JPY', leaves: false, rates: rateOf } as const
    expect(priceOfInvoice(FREE, 649_351n, way)).toMatchObject({ totalSendingAmount: 650n, debit: 650_000n })
    expect(priceOfTotal(FREE, 650n, way)).toMatchObject({ debit: 650_000n, amountMsats: 650_000n })
  })

  test('has no exchange fee within one currency, and no network fee within this VASP', () => {
    const settings = { fxSpreadBps: 1_000, routingFeeBps: 1_000 }
    const price = priceOfTotal(settings, 500n, { code: 'EUR', receivingCode: 'EUR', leaves: false, rates: rateOf })
    expect([price.vaspFeeAmount, price.feeLimitMsats]).toEqual([0n, 0n])
  })

  test.each([1n, 2n])('is refused for a total of %d that the fees use up', (total) => {
    const dear = { fxSpreadBps: 1_000, routingFeeBps: 1_000 }
    expect(() => priceOfTotal(dear, total, { code: 'USD', receivingCode: 'EUR', leaves: true, rates: rateOf })).toThrow(
      'too small',
    )
  })

  test('is refused for amounts over the limit of one payment, on either side, before they overflow', () => {
    const way = { code: 'KWD', receivingCode: 'KWD', leaves: true, rates: rateOf } as const
    expect(() => priceOfTotal(FREE, limitsOf('KWD', rateOf).max + 1n, way)).toThrow('above the limit')
    expect(() => priceOfTotal(FREE, 2n ** 53n - 1n, way)).toThrow('above the limit')
    expect(() => priceOfInvoice(FREE, toLedgerUnits(limitsOf('SAT', rateOf).max, 'SAT') + 1n, way)).toThrow(
      'above the limit',
    )
  })

  test('covers the amount sent and the maximum network fee, and overcharges by less than one unit', () => {
    fc.assert(
      fc.property(code, code, bps, bps, fc.bigInt({ min: 1n, max: 10_000_000_000n }), (from, to, fx, route, msats) => {
        const way = { code: from, receivingCode: to, leaves: true, rates: rateOf }
        const { debit, vaspFeeAmount, feeLimitMsats } = priceOfInvoice(
          { fxSpreadBps: fx, routingFeeBps: route },
          msats,
          way,
        )
        const sentOn = debit - toLedgerUnits(vaspFeeAmount, from)
        // Within one currency the operator bears a loss of less than one millisatoshi.
        expect(worthInMsats(sentOn, from, from === to ? 'up' : 'down', rateOf)).toBeGreaterThanOrEqual(msats)
        expect(sentOn - msatsInLedgerUnits(msats, from, 'up', rateOf)).toBeLessThan(toLedgerUnits(1n, from))
        expect(worthInMsats(toLedgerUnits(vaspFeeAmount, from), from, 'down', rateOf)).toBeGreaterThanOrEqual(
          feeLimitMsats,
        )
      }),
    )
  })

  test('never sends more than the rest after fees, so that a round trip never gains', () => {
    fc.assert(
      fc.property(code, code, bps, bps, fc.bigInt({ min: 1n, max: 1_000_000n }), (from, to, fx, route, share) => {
        const total = (limitsOf(from, rateOf).max * share) / 1_000_000n
        fc.pre(total > 10n)
        const way = { code: from, receivingCode: to, leaves: true, rates: rateOf }
        const settings = { fxSpreadBps: fx, routingFeeBps: route }
        const { amountMsats, vaspFeeAmount, totalSendingAmount } = priceOfTotal(settings, total, way)
        expect(totalSendingAmount).toBe(total)
        expect(costOf(amountMsats, way) + vaspFeeAmount).toBeLessThanOrEqual(total)
      }),
    )
  })
})
