import { describe, expect, it } from 'vitest'
import { newNodeSecret } from '@/test/vasp/keys'
import { encodeInvoice } from '../../lightning/bolt11'
import { nodePublicKey } from '../../lightning/node-key'
import { isWithinPercent, readMultiplier } from '../messages/multiplier'
import type { AnsweredTerms } from '../messages/pay-answer'
import { checkInvoice, checkTerms, type RequestedTerms } from './check-offer'

const EUR = 1_000_000 / 92
const price = readMultiplier(EUR)
const receiving: RequestedTerms = {
  major: 1,
  code: 'EUR',
  decimals: 2,
  lock: { side: 'receiving', units: 100n },
  price,
}
const sending: RequestedTerms = { ...receiving, lock: { side: 'sending', msats: 1_086_956n } }
const terms: AnsweredTerms = { units: 100n, code: 'EUR', multiplier: EUR, decimals: 2, feeMsats: 0n }

describe('an offer for locked units', () => {
  it('is accepted when the invoice is amount × multiplier + fee, rounded up', () => {
    expect(checkTerms(receiving, terms, 1_086_957n)).toEqual({
      ok: true,
      receivingUnits: 100n,
      feeMsats: 0n,
      amountMsats: 1_086_957n,
    })
    expect(checkTerms(receiving, { ...terms, feeMsats: 2_500n }, 1_089_457n)).toMatchObject({ ok: true })
    expect(checkTerms(receiving, { ...terms, units: undefined }, 1_086_957n)).toMatchObject({ receivingUnits: 100n })
  })
  it.each([
    ['two millisatoshis too many', terms, 1_086_959n],
    ['two millisatoshis too few', terms, 1_086_955n],
    ['a fee that it does not state', terms, 1_089_457n],
    ['another amount', { ...terms, units: 99n }, 1_086_957n],
    ['another currency', { ...terms, code: 'USD' }, 1_086_957n],
    ['another number of decimals', { ...terms, decimals: 3 }, 1_086_957n],
    ['a price 6 % up', { ...terms, multiplier: EUR * 1.06 }, 1_152_174n],
    ['a price 6 % down', { ...terms, multiplier: EUR * 0.94 }, 1_021_740n],
    ['no price', { ...terms, multiplier: 0 }, 1_086_957n],
    ['a price that is not a number', { ...terms, multiplier: Number.NaN }, 1_086_957n],
    ['a price of 1e300', { ...terms, multiplier: 1e300 }, 1_086_957n],
    ['a fee over the cap', { ...terms, feeMsats: 60_000n }, 1_146_957n],
    ['a fee that takes the whole amount', { ...terms, feeMsats: 1_086_957n }, 1_086_957n],
  ])('is rejected with %s', (_, answered, amountMsats) => {
    expect(checkTerms(receiving, answered, amountMsats)).toMatchObject({ ok: false })
  })
  it('is accepted at a price up to 5 % from the lookup', () => {
    const moved = { ...terms, multiplier: EUR * 1.0499 }
    expect(checkTerms(receiving, moved, 1_141_196n)).toMatchObject({ ok: true })
  })
  it('is exact for the largest amounts', () => {
    const most: RequestedTerms = { ...receiving, lock: { side: 'receiving', units: 920_000n } }
    expect(checkTerms(most, { ...terms, units: 920_000n }, 10_000_000_000n)).toMatchObject({ ok: true })
    expect(checkTerms(most, { ...terms, units: 920_000n }, 10_000_000_002n)).toMatchObject({ ok: false })
  })
})

describe('an offer for locked millisatoshis', () => {
  it('is accepted when the receiver receives their value, rounded by at most one unit', () => {
    for (const units of [99n, 100n])
      expect(checkTerms(sending, { ...terms, units }, 1_086_956n)).toMatchObject({ ok: true, receivingUnits: units })
  })
  it.each([
    ['the receiver would receive two units less', { ...terms, units: 98n }, 1_086_956n],
    ['the receiver would receive two units more', { ...terms, units: 102n }, 1_086_956n],
    ['the answer does not state the receiver’s amount', { ...terms, units: undefined }, 1_086_956n],
    ['the invoice is for a millisatoshi more', terms, 1_086_957n],
    ['the invoice is for less', terms, 1_086_955n],
  ])('is rejected when %s', (_, answered, amountMsats) => {
    expect(checkTerms(sending, answered, amountMsats)).toMatchObject({ ok: false })
  })
})

describe('an invoice from another VASP', () => {
  const secret = newNodeSecret()
  const make = (over: Partial<Parameters<typeof encodeInvoice>[0]> = {}): string =>
    encodeInvoice({
      network: 'regtest',
      nodeSecretHex: secret,
      paymentHash: 'ab'.repeat(32),
      paymentSecretHex: 'cd'.repeat(32),
      amountMsats: 5_000n,
      description: '',
      descriptionHash: undefined,
      createdAtSeconds: 1_000,
      expirySeconds: 600,
      ...over,
    })
  const nodeOf = (secretHex: string) => ({ publicKeyHex: nodePublicKey(secretHex), network: 'regtest' as const })
  const here = { node: nodeOf(newNodeSecret()), nowSeconds: 1_100 }
  it('can be paid when it is from another node, has an amount, and is not expired', () => {
    expect(checkInvoice(make(), here)).toMatchObject({ ok: true, amountMsats: 5_000n })
  })
  it.each([
    ['it has expired', make(), { ...here, nowSeconds: 1_600 }],
    ['it names no amount', make({ amountMsats: undefined }), here],
    ['it pays this VASP', make(), { ...here, node: nodeOf(secret) }],
    ['it is for another network', 'lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf', here],
    ['it is damaged', make().replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')), here],
    ['it is not an invoice', 'hello', here],
  ])('cannot be paid when %s', (_, text, at) => {
    expect(checkInvoice(text, at)).toMatchObject({ ok: false, reason: expect.any(String) })
  })
})

describe('a multiplier', () => {
  it('is read exactly', () => {
    expect(readMultiplier(1_000)).toEqual({ numerator: 1_000n, denominator: 1n })
    expect(readMultiplier(0.75)).toEqual({ numerator: 3n, denominator: 4n })
    const third = readMultiplier(EUR)
    expect(Number(third?.numerator) / Number(third?.denominator)).toBe(EUR)
  })
  it.each([0, -1, Number.NaN, Infinity, 1e-9, 1e300])('is not a price when it is %d', (value) => {
    expect(readMultiplier(value)).toBeUndefined()
  })
  it('is close to another multiplier when they differ by at most the given percentage', () => {
    const [hundred, up, over] = [100, 105, 105.01].map((each) => readMultiplier(each))
    if (hundred === undefined || up === undefined || over === undefined) throw new Error('no price')
    expect([isWithinPercent(hundred, up, 5n), isWithinPercent(hundred, over, 5n)]).toEqual([true, false])
  })
})
