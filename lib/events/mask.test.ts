import { describe, expect, it } from 'vitest'
import { maskBody, maskDetail, maskText, MAX_BODY_LENGTH } from './mask'

const ALL = Number.POSITIVE_INFINITY

const PREIMAGE = 'c3'.repeat(32)
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'

describe('maskBody', () => {
  it.each([
    'preimage',
    'payment_preimage',
    'token',
    'access_token',
    'refreshToken',
    'client_secret',
    'password',
    'Authorization',
    'private_key',
    'payerData',
    'payer_data',
    'travelRuleInfo',
    'encryptedTravelRuleInfo',
    'compliance',
    'email',
    'name',
  ])('masks the field %s at any depth', (field) => {
    const secret = 'a value that must not be stored'
    expect(maskBody(JSON.stringify({ outer: [{ [field]: secret }] }))).toBe(
      JSON.stringify({ outer: [{ [field]: '[masked]' }] }),
    )
    expect(maskBody(JSON.stringify({ [field]: { deep: secret } }))).not.toContain(secret)
  })

  it.each(['payment_hash', 'invoice', 'amount', 'token_type', 'expires_at', 'memo'])('keeps the field %s', (field) => {
    expect(maskBody(JSON.stringify({ [field]: 'abc' }))).toBe(JSON.stringify({ [field]: 'abc' }))
  })

  it('keeps the name of a currency, which has a code and a symbol, and of nothing else', () => {
    const euro = { code: 'EUR', name: 'Euro', symbol: '€' }
    expect(maskBody(JSON.stringify({ currencies: [euro] }))).toBe(JSON.stringify({ currencies: [euro] }))
    for (const other of [
      { name: 'Erika', code: 'EUR' },
      { name: 'Erika', code: 1, symbol: '€' },
    ])
      expect(maskBody(JSON.stringify(other))).toBe(JSON.stringify({ ...other, name: '[masked]' }))
  })

  it('masks a JSON Web Token in any field, and in a field name', () => {
    expect(maskBody(JSON.stringify({ memo: `here: ${TOKEN}` }))).toBe('{"memo":"here: [masked]"}')
    expect(maskBody(JSON.stringify({ [TOKEN]: 1 }))).toBe('{"[masked]":1}')
  })

  it.each(['.', '-', ' ', 'a-', '_.'])('masks a token after “%s”, and keeps what precedes it', (before) => {
    expect(maskText(`${before}${TOKEN}`, ALL)).toBe(`${before}[masked]`)
  })

  it.each(['they.example', 'ey.company.example', 'a-key', 'monkey-business', 'eyes-only'])('keeps %s', (text) => {
    expect(maskText(text, ALL)).toBe(text)
  })

  it.each([TOKEN, `x-${TOKEN}`, `Bearer ${TOKEN}`])('stores no part of %s where a cut splits it', (text) => {
    const header = TOKEN.slice(0, 4)
    for (let length = 0; length <= text.length; length++) {
      expect(maskText(`a ${text}`, length)).not.toContain(header)
      const body = JSON.stringify({ memo: `${'x '.repeat((MAX_BODY_LENGTH - length) / 2)}${text} later` })
      expect(maskBody(body)).not.toContain(header)
    }
  })

  it.each([
    `{"type":5482373484,"value":"${PREIMAGE}"}`,
    `{"value":"${PREIMAGE}","type":5482373484}`,
    `{"type":"5482373484","value":"${PREIMAGE}"}`,
    `{"Type":5.482373484e9,"Value":"${PREIMAGE}"}`,
    `{"type":5482373484,"content":{"hex":"${PREIMAGE}"}}`,
  ])('masks the preimage of a keysend in its record: %s', (record) => {
    const other = '{"type":696969,"value":"706f64"}'
    const masked = maskBody(`{"amount":5000,"tlv_records":[${other},${record}]}`)
    expect(masked).not.toContain(PREIMAGE)
    expect(masked).toContain(other)
    expect(JSON.parse(masked)).toMatchObject({ amount: 5000 })
  })

  it('keeps null, so that a missing preimage differs from a masked one', () => {
    expect(maskBody('{"preimage":null}')).toBe('{"preimage":null}')
  })

  it('cuts a body to 8,000 characters and states its original length', () => {
    const masked = maskBody(JSON.stringify({ memo: 'x'.repeat(20_000) }))
    expect(masked).toHaveLength(MAX_BODY_LENGTH)
    expect(masked).toContain('[20011 characters in all]')
  })

  it('stops at the part that is stored, and states the original length', () => {
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`field${at}`, at])))
    const lists = JSON.stringify(Array.from({ length: 20_000 }, () => []))
    const tokens = JSON.stringify({ memo: `${TOKEN} `.repeat(500), later: 'x' })
    for (const body of [keys, lists, tokens]) {
      const masked = maskBody(body)
      expect(masked.length).toBeLessThanOrEqual(MAX_BODY_LENGTH)
      expect(masked.endsWith(` [${body.length} characters in all]`)).toBe(true)
    }
  })

  it('masks a secret field whose name is longer than a stored body', () => {
    expect(maskBody(JSON.stringify({ [`${'x'.repeat(MAX_BODY_LENGTH)}_password`]: 'hunter2' }))).not.toContain(
      'hunter2',
    )
  })

  it('parses no body of more than 64 kB', () => {
    expect(maskBody(JSON.stringify('x'.repeat(70_000)))).toBe('[not stored, 70002 characters]')
  })

  it('keeps only the length of a body that is not JSON', () => {
    expect(maskBody(`token=${TOKEN}`)).toBe(`[not JSON, ${TOKEN.length + 6} characters]`)
  })

  it('masks the part of a body that is nested too deeply', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    expect(maskBody(deep)).toContain('[nested too deeply]')
  })

  it('replaces characters that PostgreSQL cannot store', () => {
    expect(maskBody(String.raw`{"memo":"a\u0000b\ud800c"}`)).toBe('{"memo":"a\uFFFDb\uFFFDc"}')
    expect(maskText('a\0b', ALL)).toBe('a\uFFFDb')
  })
})

describe('An answer of this server, which is not parsed', () => {
  const written = (value: unknown): { text: string; value: unknown } => ({ text: JSON.stringify(value), value })

  it.each<unknown>([
    {
      preimage: PREIMAGE,
      metadata: { memo: `Bearer abc ${TOKEN}`, nested: [{ token: 'a' }], payer_data: { name: 'Erika' } },
    },
    {
      metadata: {
        tlv_records: [
          { type: 5_482_373_484, value: PREIMAGE },
          { type: '5482373484', note: PREIMAGE },
        ],
      },
    },
    { metadata: { tYPE: 5_482_373_484, more: { value: PREIMAGE }, kind: 'x' } },
    JSON.parse(`{"__proto__":{"preimage":"${PREIMAGE}","memo":"${TOKEN}"},"constructor":{"to-ken":"a"},"toJSON":"x"}`),
    { [TOKEN]: 1, [`${'long '.repeat(20)}password`]: 'secret', 'Access Token': ['a'], memo: 'bEaReR\u2003abcdef' },
    { memo: 'a\0b\ud800c', list: [null, true, 'ey-ey-ey', [[]], {}], deep: [[[[[[[[['x']]]]]]]]] },
    { left: undefined, memo: 'x'.repeat(9_000) },
    [],
    'text',
    null,
  ])('is masked like its text: %j', (value) => {
    const { text } = written(value)
    expect(maskBody({ text, value })).toBe(maskBody(text))
    expect(maskBody({ text, value })).not.toMatch(/c3c3|c2lnbmF0dXJl|secret"/)
  })

  it('has the first five objects of a list, and states the original length', () => {
    const of = (count: number) => ({
      transactions: Array.from({ length: count }, (_, at) => ({ at, preimage: PREIMAGE })),
    })
    expect(maskBody(written(of(5)))).toBe(maskBody(JSON.stringify(of(5))))
    const { text, value } = written(of(6))
    expect(maskBody({ text, value })).toBe(`${maskBody(JSON.stringify(of(5)))} [${text.length} characters in all]`)
    expect(maskBody(text)).toContain('"at":5')
    expect(maskBody(written({ methods: Array.from({ length: 12 }, (_, at) => `${at}`) }))).toContain('"11"')
  })

  it('calls no function of the answer', () => {
    const toJSON = (): string => PREIMAGE
    expect(maskBody({ text: '{}', value: { memo: 'a', toJSON } })).toBe('{"memo":"a"}')
  })

  it('is masked in the same way after more new field names than are remembered', () => {
    for (let at = 0; at < 3_000; at++) maskBody(JSON.stringify({ [`field${at}`]: 1 }))
    expect(maskBody(written({ field1: 'a', token: 'b' }))).toBe('{"field1":"a","token":"[masked]"}')
  })

  it('of no length is not stored', () => {
    expect(maskDetail({ response: { text: '', value: undefined } })).toEqual({})
  })
})

it('maskDetail stops reading where a stored body would end', () => {
  const entries = Array.from({ length: 20_000 }, (_, at) => [`${at}`, 1])
  for (const facts of [{ list: entries.map(() => []) }, Object.fromEntries(entries)])
    expect(JSON.stringify(maskDetail({ facts })).length).toBeLessThan(4 * MAX_BODY_LENGTH)
})

it('maskDetail masks facts too', () => {
  expect(
    maskDetail({ facts: { authorization: 'Bearer abc', origin: 'https://a.example', text: 'Bearer abc.def' } }),
  ).toEqual({
    facts: { authorization: '[masked]', origin: 'https://a.example', text: 'Bearer [masked]' },
  })
})

describe('Travel rule information', () => {
  it.each([
    ['short', 'Erika Mustermann', 'Erika Mustermann'],
    ['with a token', `{"originator":"Erika","proof":"${TOKEN}"}`, '{"originator":"Erika","proof":"[masked]"}'],
    ['with characters that the database cannot store', 'Erika\0\ud800', 'Erika\ufffd\ufffd'],
  ])('is kept: %s', (_, text, kept) => {
    expect(maskDetail({ travelRule: { format: 'ivms@101.1', text } })).toEqual({
      travelRule: { format: 'ivms@101.1', text: kept },
    })
  })

  it('is cut, and says so', () => {
    const { travelRule } = maskDetail({ travelRule: { format: '', text: 'é'.repeat(16_000) } })
    expect(travelRule?.text).toHaveLength(MAX_BODY_LENGTH)
    expect(travelRule?.text).toMatch(/^é+ \[16000 characters in all\]$/)
  })
})
