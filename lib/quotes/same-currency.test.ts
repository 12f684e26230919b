import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyRate } from '../invoices/fixed-rate'
import { conversionLines, mergeLines, type Line } from '../ledger/conversion'
import { CURRENCY_CODES, currencyOf, multiplierOf, rateOf, type CurrencyCode } from '../money/currencies'
import { toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { limitsOf, MAX_PAYMENT_MSATS } from '../money/limits'
import { checkTerms } from '../uma/client/check-offer'
import { minReceivableMsats, receivingLimits } from '../uma/find-payable-user'
import { readMultiplier, unitsWorth } from '../uma/messages/multiplier'
import { priceOfInvoice, priceOfTotal } from './price'

const FREE = { fxSpreadBps: 0, routingFeeBps: 0 }
const LARGEST = 10_000n
const SIDES = ['sending', 'receiving'] as const

/** The amounts that both VASPs compute for one amount. */
interface Agreed {
  readonly total: bigint
  readonly msats: bigint
  readonly received: bigint
}

/** The pricing functions of a sending and of a receiving VASP, one after the other, as a quote runs them. */
function quoteBetween(code: CurrencyCode, side: (typeof SIDES)[number], units: bigint): Agreed {
  const way = { code, receivingCode: code, leaves: true, rates: rateOf }
  if (side === 'sending') {
    const { totalSendingAmount: total, amountMsats: msats } = priceOfTotal(FREE, units, way)
    return { total, msats, received: applyRate({ code }, { side, msats }, 0, rateOf).receivingUnits }
  }
  const { amountMsats: msats, receivingUnits: received } = applyRate({ code }, { side, units }, 0, rateOf)
  return { total: priceOfInvoice(FREE, msats, way).totalSendingAmount, msats, received }
}

/** The amounts from 1 to 10,000 for which the check does not hold. */
function failing(holds: (units: bigint) => boolean): bigint[] {
  const found: bigint[] = []
  for (let units = 1n; units <= LARGEST; units++) if (!holds(units)) found.push(units)
  return found
}

const PAYER = 1n
const NETWORK = 2n
const PAYEE = 3n
const PEER = 4n
const ROUNDING = 9n
const OTHER_HOUSE = 10n
const house = (kind: string): bigint => (kind === 'rounding' ? ROUNDING : OTHER_HOUSE)
const roundingOf = (lines: readonly Line[]): bigint =>
  mergeLines(lines).find(({ accountId }) => accountId === ROUNDING)?.amount ?? 0n

describe.each(CURRENCY_CODES)('a payment from %s to the same currency at another VASP, without fees', (code) => {
  test.each(SIDES)('credits exactly the debited amount for every amount from 1 to 10,000, %s side locked', (side) => {
    const bad = failing((units) => {
      const { total, received } = quoteBetween(code, side, units)
      return total === units && received === units
    })
    expect(bad).toEqual([])
  })

  test.each(SIDES)(
    'costs the sender’s rounding account at most a millisatoshi, and the receiver’s nothing, %s side locked',
    (side) => {
      const bad = failing((units) => {
        const { total, msats, received } = quoteBetween(code, side, units)
        const sent = { accountId: PAYER, code, amount: toLedgerUnits(total, code), rates: rateOf }
        const left = roundingOf(
          conversionLines(house, sent, { accountId: NETWORK, code: 'SAT', amount: msats, rates: rateOf }),
        )
        const arrived = { accountId: PEER, code: 'SAT' as const, amount: msats, rates: rateOf }
        const credit = { accountId: PAYEE, code, amount: toLedgerUnits(received, code), rates: rateOf }
        const kept = roundingOf(conversionLines(house, arrived, credit))
        return (left === 0n || left === -1n) && kept === 0n
      })
      expect(bad).toEqual([])
    },
  )

  test('credits the debited amount at a receiver that divides by its floating-point multiplier and rounds down or to nearest', () => {
    const multiplier = multiplierOf(code, rateOf)
    const way = { code, receivingCode: code, leaves: true, rates: rateOf }
    const bad = failing((units) => {
      const msats = Number(priceOfTotal(FREE, units, way).amountMsats)
      const invoice = BigInt(Math.round(Number(units) * multiplier))
      return (
        BigInt(Math.floor(msats / multiplier)) === units &&
        BigInt(Math.round(msats / multiplier)) === units &&
        priceOfInvoice(FREE, invoice, way).totalSendingAmount === units
      )
    })
    expect(bad).toEqual([])
  })

  test('requests exactly the sent units from a receiver with UMA 0', () => {
    const price = readMultiplier(multiplierOf(code, rateOf))
    if (price === undefined) throw new Error('no price')
    const way = { code, receivingCode: code, leaves: true, rates: rateOf }
    expect(failing((units) => unitsWorth(priceOfTotal(FREE, units, way).amountMsats, price) === units)).toEqual([])
  })

  test('is within the bounds of the receiver and passes the checks of the sender', () => {
    const multiplier = multiplierOf(code, rateOf)
    const terms = { code, multiplier, decimals: currencyOf(code).decimals, feeMsats: 0n }
    const asked = { major: 1, code, decimals: terms.decimals, price: readMultiplier(multiplier) } as const
    const least = minReceivableMsats([{ walletId: 1n, code }], 0, rateOf)
    const bad = failing((units) =>
      SIDES.every((side) => {
        const { msats, received } = quoteBetween(code, side, units)
        const lock = side === 'sending' ? ({ side, msats } as const) : ({ side, units } as const)
        return msats >= least && checkTerms({ ...asked, lock }, { ...terms, units: received }, msats).ok
      }),
    )
    expect(bad).toEqual([])
    const most = limitsOf(code, rateOf).max
    expect(receivingLimits(code, 0, rateOf).max).toBe(most)
    for (const side of SIDES) {
      const { total, msats, received } = quoteBetween(code, side, most)
      expect([total, received]).toEqual([most, most])
      expect(msats).toBeLessThanOrEqual(MAX_PAYMENT_MSATS)
    }
  })
})

describe('with fees', () => {
  const code = fc.constantFrom(...CURRENCY_CODES)
  const bps = fc.integer({ min: 0, max: 1_000 })

  /** The amount that the sending VASP's rounding account receives from a payment that sends `msats`. */
  const residueOf = (from: CurrencyCode, amount: bigint, msats: bigint): bigint => {
    const sent = { accountId: PAYER, code: from, amount, rates: rateOf }
    return roundingOf(conversionLines(house, sent, { accountId: NETWORK, code: 'SAT', amount: msats, rates: rateOf }))
  }

  test('a payment never costs the operator more than one millisatoshi by rounding, whichever side is locked', () => {
    const amount = fc.bigInt({ min: 100n, max: 10n ** 6n })
    fc.assert(
      fc.property(code, code, bps, bps, bps, amount, (from, to, fx, route, fee, units) => {
        const settings = { fxSpreadBps: fx, routingFeeBps: route }
        const way = { code: from, receivingCode: to, leaves: true, rates: rateOf }
        const least = from === to ? -1n : 0n
        const { amountMsats } = applyRate({ code: to }, { side: 'receiving', units }, fee, rateOf)
        fc.pre(amountMsats <= MAX_PAYMENT_MSATS && units <= limitsOf(from, rateOf).max)
        const bought = priceOfInvoice(settings, amountMsats, way)
        const boughtFor = bought.debit - toLedgerUnits(bought.vaspFeeAmount, from)
        expect(residueOf(from, boughtFor, amountMsats)).toBeGreaterThanOrEqual(least)
        const sent = priceOfTotal(settings, units, way)
        const sentOn = sent.debit - toLedgerUnits(sent.vaspFeeAmount, from)
        expect(residueOf(from, sentOn, sent.amountMsats)).toBeGreaterThanOrEqual(least)
      }),
      { numRuns: 500 },
    )
  })

  test('the fee of a payment within one currency exceeds the rounding loss of the operator', () => {
    const units = fc.bigInt({ min: 2n, max: 10n ** 6n })
    fc.assert(
      fc.property(code, fc.integer({ min: 1, max: 1_000 }), units, (same, route, total) => {
        fc.pre(total <= limitsOf(same, rateOf).max)
        const way = { code: same, receivingCode: same, leaves: true, rates: rateOf }
        const { amountMsats, debit } = priceOfTotal({ fxSpreadBps: 0, routingFeeBps: route }, total, way)
        expect(amountMsats).toBeLessThan(worthInMsats(debit, same, 'down', rateOf))
      }),
      { numRuns: 2_000 },
    )
  })
})
