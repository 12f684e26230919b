import { describe, expect, it } from 'vitest'
import { UMA_STATUS } from '../fault'
import { hasLargeMetadata, readPlainLookUp, readUmaLookUp } from './receiver-message'

const euro = {
  code: 'EUR',
  name: 'Euro',
  symbol: '€',
  multiplier: 10_000,
  decimals: 2,
  convertible: { min: 1, max: 100 },
}
const answer = {
  tag: 'payRequest',
  callback: 'https://bank.example/pay',
  minSendable: 1_000,
  maxSendable: 2_000,
  metadata: '[]',
  umaVersion: '1.0',
  compliance: {
    kycStatus: 'VERIFIED',
    isSubjectToTravelRule: true,
    receiverIdentifier: '$bob@bank.example',
    signature: 'ab'.repeat(35),
    signatureNonce: '1',
    signatureTimestamp: 1,
  },
  payerData: { identifier: { mandatory: true } },
  currencies: [euro],
}
const withCurrency = (over: Record<string, unknown>): unknown => ({ ...answer, currencies: [{ ...euro, ...over }] })

describe('the answer to a lookup', () => {
  it('is parsed with its currencies in order', () => {
    const yen = { ...euro, code: 'JPY', decimals: 0 }
    expect(readUmaLookUp({ ...answer, currencies: [yen, euro] })).toMatchObject({
      major: 1,
      currencies: [
        { code: 'JPY', min: 1n, max: 100n },
        { code: 'EUR', msatsPerUnit: 10_000 },
      ],
    })
  })
  it('of version 0 has its limits under other names', () => {
    const { convertible, ...rest } = euro
    const old = { ...rest, minSendable: convertible.min, maxSendable: convertible.max }
    expect(readUmaLookUp({ ...answer, umaVersion: '0.3', currencies: [old] })).toMatchObject({
      major: 0,
      currencies: [{ max: 100n }],
    })
  })
  it('leaves out a currency that is for display only, and one whose code is too long for apps', () => {
    const { convertible: _, ...shown } = { ...euro, code: 'USD' }
    const long = { ...euro, code: 'USDC' }
    expect(readUmaLookUp({ ...answer, currencies: [shown, long, euro] })?.currencies.map(({ code }) => code)).toEqual([
      'EUR',
    ])
    expect(readUmaLookUp({ ...answer, currencies: [long] })).toMatchObject({ currencies: [], leftOut: ['USDC'] })
  })
  it('leaves out a currency that cannot be read, and keeps the others', () => {
    for (const odd of [{ ...euro, code: 'USD-T' }, { ...euro, code: 'ABCDEFGHI' }, { ...euro, code: 7 }, null, 'EUR']) {
      const found = readUmaLookUp({ ...answer, currencies: [odd, euro] })
      expect(found?.currencies.map(({ code }) => code)).toEqual(['EUR'])
    }
  })
  it.each([2 ** 53, 10 ** 18, Number('9223372036854775807')])('clips a max of %d to 2^53 − 1', (max) => {
    const found = readUmaLookUp(withCurrency({ convertible: { min: 1, max } }))
    expect(found?.currencies[0]?.max).toBe(2n ** 53n - 1n)
    const { convertible: _, ...rest } = euro
    const old = { ...answer, umaVersion: '0.3', currencies: [{ ...rest, minSendable: 1, maxSendable: max }] }
    expect(readUmaLookUp(old)?.currencies[0]?.max).toBe(2n ** 53n - 1n)
    expect(readUmaLookUp({ ...answer, maxSendable: max })?.maxSendable).toBe(2 ** 53 - 1)
    expect(readPlainLookUp({ ...answer, maxSendable: max })?.maxSendable).toBe(2 ** 53 - 1)
  })
  it.each([
    ['decimals −1', { decimals: -1 }],
    ['decimals 400', { decimals: 400 }],
    ['multiplier 0', { multiplier: 0 }],
    ['multiplier 1e300', { multiplier: 1e300 }],
    ['a multiplier that is text', { multiplier: '10' }],
    ['min above max', { convertible: { min: 5, max: 4 } }],
    ['a negative min', { convertible: { min: -5, max: 4 } }],
    ['a code with a space', { code: 'E R' }],
  ])('leaves out a currency with %s', (_, over) => {
    expect(readUmaLookUp(withCurrency(over))?.currencies).toEqual([])
  })
  it.each([
    ['duplicate codes', { ...answer, currencies: [euro, euro] }],
    ['too many currencies', { ...answer, currencies: Array.from({ length: 201 }, () => euro) }],
    ['another tag', { ...answer, tag: 'withdrawRequest' }],
    ['a minimum above the maximum', { ...answer, minSendable: 3_000 }],
    ['no signature', { ...answer, compliance: undefined }],
    ['version 2', { ...answer, umaVersion: '2.0' }],
    ['an array', []],
    ['nothing', undefined],
    ['text', 'x'],
  ])('with %s is rejected', (_, given) => {
    expect(readUmaLookUp(given)).toBeUndefined()
  })
  it.each(['protocol.PayRequest', 'PayRequest', 'PAYREQUEST', 'pay_request', '', null, undefined, 7])(
    'is read with %j as its tag, which no signature covers',
    (tag) => {
      expect(readUmaLookUp({ ...answer, tag })).toMatchObject({ currencies: [{ code: 'EUR' }] })
      expect(readPlainLookUp({ ...answer, tag })).toMatchObject({ minSendable: 1_000 })
    },
  )
  it.each(['withdrawRequest', 'channelRequest', 'hostedChannelRequest', 'login'])(
    'is not a payment with the tag %s of another service',
    (tag) => {
      expect(readUmaLookUp({ ...answer, tag })).toBeUndefined()
      expect(readPlainLookUp({ ...answer, tag })).toBeUndefined()
    },
  )
  it.each([
    ['1.0', {}],
    ['0.3', {}],
    ['1.0', { convertible: null, minSendable: 1, maxSendable: 100 }],
    ['0.3', { convertible: undefined, minSendable: 1, maxSendable: 100 }],
    ['1.2', { convertible: { min: 1, max: 100 }, minSendable: 7, maxSendable: 8 }],
    ['0.3', { convertible: { min: 1, max: 100 }, minSendable: null }],
  ])('of version %s takes the limits from the members that are present: %j', (umaVersion, over) => {
    expect(readUmaLookUp({ ...(withCurrency(over) as object), umaVersion })?.currencies).toMatchObject([
      { code: 'EUR', min: 1n, max: 100n },
    ])
  })
  it.each([
    ['an empty name', { name: '' }, 'EUR', '€'],
    ['a blank name', { name: '  ' }, 'EUR', '€'],
    ['no name', { name: undefined }, 'EUR', '€'],
    ['a name of a thousand letters', { name: 'x'.repeat(1_000) }, 'EUR', '€'],
    ['a name that reverses the text', { name: '\u202eoruE' }, 'EUR', '€'],
    ['a name with a hidden space', { name: 'Eu\u200bro' }, 'EUR', '€'],
    ['a name that nobody sees', { name: '\u3164' }, 'EUR', '€'],
    ['a name that is a number', { name: 7 }, 'EUR', '€'],
    ['a symbol of two lines', { symbol: 'a\nb' }, 'Euro', 'EUR'],
    ['a long symbol', { symbol: 'Central African francs' }, 'Euro', 'EUR'],
    ['no symbol', { symbol: null }, 'Euro', ''],
    ['an empty symbol', { symbol: '' }, 'Euro', ''],
  ])('shows a currency with %s by its code', (_, over, name, symbol) => {
    expect(readUmaLookUp(withCurrency(over))?.currencies).toMatchObject([{ code: 'EUR', name, symbol }])
  })
  it('shows a currency that has neither name nor symbol by its code', () => {
    const { name: _name, symbol: _symbol, ...bare } = euro
    expect(readUmaLookUp({ ...answer, currencies: [bare] })?.currencies).toMatchObject([{ name: 'EUR', symbol: '' }])
  })
  it('is read without its optional members', () => {
    const { payerData: _payerData, currencies: _currencies, tag: _tag, ...least } = answer
    expect(readUmaLookUp(least)).toMatchObject({ payerData: {}, currencies: [] })
  })
  it.each(['20', 20.5, false, -1, {}, [3], null, '', Number.MAX_VALUE])(
    'permits no comment for commentAllowed %j',
    (odd) => {
      expect(readUmaLookUp({ ...answer, commentAllowed: odd })).toMatchObject({ major: 1 })
      expect(readUmaLookUp({ ...answer, commentAllowed: odd })?.commentAllowed).toBeUndefined()
      expect(readPlainLookUp({ ...answer, commentAllowed: odd })?.commentAllowed).toBeUndefined()
    },
  )
  it.each([
    ['png', 100_000, true],
    ['jpeg', 136_536, true],
    ['png', 136_537, false],
    ['jpeg', 200_000, false],
  ])('with a picture (%s) of %d characters is read: %s', (type, length, isRead) => {
    const metadata = JSON.stringify([
      ['text/plain', 'Pay "me"'],
      [`image/${type};base64`, 'A'.repeat(length)],
    ])
    expect(readPlainLookUp({ ...answer, metadata }) !== undefined).toBe(isRead)
    expect(readUmaLookUp({ ...answer, metadata }) !== undefined).toBe(isRead)
    expect(hasLargeMetadata({ ...answer, metadata })).toBe(!isRead)
  })
  it.each([
    [
      'two pictures below the limit',
      [
        ['image/png;base64', 'A'.repeat(100_000)],
        ['image/jpeg;base64', 'B'.repeat(100_000)],
      ],
    ],
    [
      'a picture at the limit beside a long text',
      [
        ['text/long-desc', 'x'.repeat(90_000)],
        ['image/png;base64', 'A'.repeat(136_536)],
      ],
    ],
    ['a text at the limit', [['text/long-desc', 'x'.repeat(136_536)]]],
  ])('has the limit of LUD-06 for each text of its metadata: %s', (_which, metadata) => {
    expect(hasLargeMetadata({ ...answer, metadata: JSON.stringify(metadata) })).toBe(false)
  })

  it('with a long text in its metadata is too large', () => {
    const metadata = JSON.stringify([['text/long-desc', 'x'.repeat(136_537)]])
    expect(hasLargeMetadata({ ...answer, metadata })).toBe(true)
    expect(hasLargeMetadata({ ...answer, metadata: 'x'.repeat(136_537) })).toBe(true)
  })
  it.each([[], null, undefined, ''])('is read without any currency when currencies is %j', (currencies) => {
    expect(readUmaLookUp({ ...answer, currencies })).toMatchObject({ currencies: [], leftOut: [] })
  })
  it.each([{}, { min: 0, max: 0 }, null, ''])(
    'takes the limits that are set: minSendable and maxSendable beside a convertible of %j',
    (convertible) => {
      const currency = { ...euro, convertible, minSendable: 3, maxSendable: 700 }
      expect(readUmaLookUp({ ...answer, currencies: [currency] })?.currencies).toMatchObject([{ min: 3n, max: 700n }])
    },
  )

  it.each([null, undefined, ''])('is read when its optional members are %j', (none) => {
    expect(readUmaLookUp({ ...answer, commentAllowed: none, payerData: none })).toMatchObject({ payerData: {} })
    expect(readPlainLookUp({ ...answer, commentAllowed: none })?.commentAllowed).toBeUndefined()
    expect(readUmaLookUp(withCurrency({ minSendable: none, maxSendable: none }))?.currencies).toHaveLength(1)
  })
  it('is parsed as plain LNURL whatever its UMA fields contain', () => {
    expect(readPlainLookUp({ ...answer, compliance: null })).toMatchObject({ minSendable: 1_000 })
    expect(readPlainLookUp({ ...answer, minSendable: 1.5 })).toBeUndefined()
  })
})

it('all 39 codes of the protocol have a status', () => {
  expect(Object.keys(UMA_STATUS)).toHaveLength(39)
  expect(UMA_STATUS).toMatchObject({ INVALID_SIGNATURE: 401, USER_NOT_FOUND: 404, UNSUPPORTED_UMA_VERSION: 412 })
})
