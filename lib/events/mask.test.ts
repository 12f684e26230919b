import { describe, expect, it } from 'vitest'
import { MAX_BODY_LENGTH, maskBody, maskDetail, maskText } from './mask'

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

  it('masks a JSON Web Token in any field, and in a field name', () => {
    expect(maskBody(JSON.stringify({ memo: `here: ${TOKEN}` }))).toBe('{"memo":"here: [masked]"}')
    expect(maskBody(JSON.stringify({ [TOKEN]: 1 }))).toBe('{"[masked]":1}')
  })

  it('keeps null, so that a missing preimage differs from a masked one', () => {
    expect(maskBody('{"preimage":null}')).toBe('{"preimage":null}')
  })

  it('cuts a body to 8,000 characters and states its original length', () => {
    const masked = maskBody(JSON.stringify({ memo: 'x'.repeat(20_000) }))
    expect(masked).toHaveLength(MAX_BODY_LENGTH)
    expect(masked).toContain('[20011 characters in all]')
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
    expect(maskText('a\0b')).toBe('a\uFFFDb')
  })
})

it('maskDetail masks facts too', () => {
  expect(
    maskDetail({ facts: { authorization: 'Bearer abc', origin: 'https://a.example', text: 'Bearer abc.def' } }),
  ).toEqual({
    facts: { authorization: '[masked]', origin: 'https://a.example', text: 'Bearer [masked]' },
  })
})
