import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { newKeyPair } from '../test/vasp/keys'
import { CONTROL, rowNamed, rowsOf, type Source } from './benchmarks'
import { QUICK } from './options'

const token = `${[
  { alg: 'ES256', typ: 'JWT' },
  { jti: '1', sub: 'alice' },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')}.${'A'.repeat(86)}`
const world = { tokens: [token], privateKeyPem: newKeyPair().privatePem } as unknown as Source['world']
const source = { world } as Source

it('starts with the control and measures each other row at 10 and at 50 callers', () => {
  const rows = rowsOf(false)
  expect(rows[0]?.what).toBe(CONTROL)
  const callersOf = (what: string): number[] =>
    rows
      .filter((row) => row.what === what)
      .map(({ callers }) => callers)
      .toSorted((a, b) => a - b)
  for (const { what } of rows.slice(1)) expect(callersOf(what), what).toEqual([10, 50])
  expect(rows.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['GET /-/alive', 'Page /login', 'Page /wallets', 'GET /balance, first call of a token']),
  )
  expect(rowsOf(true).length).toBeLessThan(rows.length)
})

it('signs the same claims with another signature for each first call of a token', async () => {
  const row = rowNamed('GET /balance, first call of a token', 10)
  const requests = await row.requests(source, row.once?.(QUICK) ?? 0)
  const tokens = requests.map(({ headers }) => headers['Authorization']?.slice('Bearer '.length) ?? '')
  expect(new Set(tokens).size).toBe(QUICK.freshTokens)
  expect(decodeJwt(tokens[0] ?? '')).toEqual({ jti: '1', sub: 'alice' })
})

it('sends bad signatures that all differ', async () => {
  const requests = await rowNamed(CONTROL, 10).requests(source, 0)
  const tokens = requests.map(({ headers }) => headers['Authorization'])
  expect(new Set(tokens).size).toBe(tokens.length)
  expect(tokens).not.toContain(`Bearer ${token}`)
})
