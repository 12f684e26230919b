import { decodeJwt } from 'jose'
import { COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { newKeyPair } from '../test/vasp/keys'
import { isChosen, rowNamed, ROWS } from './rows'
import type { Side } from './side'

const token = `${[
  { alg: 'ES256', typ: 'JWT' },
  { jti: '1', sub: 'alice' },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')}.${'A'.repeat(86)}`
const home = { users: [{ username: 'alice', token }], identity: { pair: newKeyPair() } } as unknown as Side['home']
const side = { home } as Side
const tokensOf = async (what: string, count: number): Promise<string[]> =>
  (await rowNamed(what).requests(side, count)).map(({ headers }) => headers['Authorization']?.slice(7) ?? '')

describe('the rows', () => {
  it('have different names, and one for each command', () => {
    expect(new Set(ROWS.map(({ what }) => what)).size).toBe(ROWS.length)
    for (const { method, path } of COMMANDS) {
      const begin = `${method} ${path.replace(/\/\{.*/, '')}`
      expect(
        ROWS.filter(({ what }) => what.startsWith(begin)),
        begin,
      ).not.toEqual([])
    }
  })

  it('are chosen by a part of their names', () => {
    expect(isChosen('GET /balance', [])).toBe(true)
    expect(isChosen('GET /balance', ['page', 'get /BAL'])).toBe(true)
    expect(isChosen('GET /info', ['page', 'get /bal'])).toBe(false)
  })

  it('sign the same claims with another signature for each first call of a token', async () => {
    const tokens = await tokensOf('GET /balance, first call of a token', 300)
    expect(new Set(tokens).size).toBe(300)
    expect(decodeJwt(tokens[0] ?? '')).toEqual({ jti: '1', sub: 'alice' })
  })

  it('send bad signatures that all differ', async () => {
    const tokens = await tokensOf('Refused token', 0)
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(tokens).not.toContain(token)
  })
})
