import { beforeAll, describe, expect, it } from 'vitest'
import { newKeyPair } from '../test/key-pair'
import { OUR_TOKEN_FAULTS, signAny, type GoodToken } from '../test/token-faults'
import { COMMANDS } from './commands'
import { importKeys, type KeyTexts } from './keys'
import { createTokens, LOGIN_TOKEN_SECONDS, type Tokens } from './tokens'

const DOMAIN = 'localhost:3000'
const pair = newKeyPair()
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
let tokens: Tokens

async function tokensOf(texts: KeyTexts): Promise<Tokens> {
  return createTokens({ keys: await importKeys(texts), domain: DOMAIN, clock })
}

const good = (): GoodToken => ({
  claims: {
    sub: 'alice',
    jti: 'id-1',
    token_use: 'login',
    iss: DOMAIN,
    aud: DOMAIN,
    exp: Math.floor(nowMs / 1000) + 600,
  },
  ...pair,
  domain: DOMAIN,
})

beforeAll(async () => {
  nowMs = Date.now()
  tokens = await tokensOf({ privateKey: pair.privatePem, publicKey: pair.publicPem })
})

describe('verify', () => {
  it('accepts the token from which every faulty token is derived', async () => {
    expect(await tokens.verify(signAny(good().claims, pair.privatePem))).toMatchObject({
      userId: 'alice',
      use: 'login',
      id: 'id-1',
    })
  })

  it.each(OUR_TOKEN_FAULTS)('refuses a token with $why', async ({ make }) => {
    expect(await tokens.verify(await make(good()))).toBeUndefined()
  })

  it('names the fault of a token', async () => {
    const { claims, domain: _domain, ...keys } = good()
    const faultOf = async (changed: object, privatePem = keys.privatePem): Promise<unknown> =>
      tokens.check(signAny({ ...claims, ...changed }, privatePem))
    expect(await faultOf({ aud: 'other.example' })).toBe('domain')
    expect(await faultOf({ token_use: 'other' })).toBe('claims')
    expect(await faultOf({ nbf: Math.floor(nowMs / 1000) + 60 })).toBe('early')
    expect(await faultOf({ exp: Math.floor(nowMs / 1000) - 1 })).toBe('expired')
    expect(await faultOf({}, newKeyPair().privatePem)).toBe('signature')
    expect(await tokens.check('a.b.c')).toBe('malformed')
  })

  it('refuses a login token without exp, and accepts a connection token without it', async () => {
    const { exp: _end, ...endless } = good().claims
    expect(await tokens.verify(signAny(endless, pair.privatePem))).toBeUndefined()
    expect(await tokens.verify(signAny({ ...endless, token_use: 'connection' }, pair.privatePem))).toMatchObject({
      use: 'connection',
      id: 'id-1',
    })
  })

  it('allows no leeway on either side of exp, even for a cached token', async () => {
    const exp = Math.floor(Date.now() / 1000) + 600
    const token = signAny({ ...good().claims, exp }, pair.privatePem)
    nowMs = exp * 1000 - 1
    expect(await tokens.verify(token)).toMatchObject({ use: 'login', id: 'id-1' })
    nowMs = exp * 1000
    expect(await tokens.verify(token)).toBeUndefined()
    nowMs = Date.now()
  })

  it('verifies with the old key until it is removed, and signs with the new one', async () => {
    const next = newKeyPair()
    const both = await tokensOf({
      privateKey: next.privatePem,
      publicKey: next.publicPem,
      previousPublicKey: pair.publicPem,
    })
    const onlyNew = await tokensOf({ publicKey: next.publicPem })
    const old = signAny(good().claims, pair.privatePem)
    const { token: fresh } = await both.issueLogin({ id: 'a', userId: 'alice', address: '$alice@x' })
    expect(await both.verify(old)).toMatchObject({ use: 'login', id: 'id-1' })
    expect(await onlyNew.verify(old)).toBeUndefined()
    expect(await onlyNew.verify(fresh)).toMatchObject({ use: 'login', id: 'a' })
    expect(await tokens.verify(fresh)).toBeUndefined()
  })
})

describe('issue', () => {
  it('issues a login token for ten minutes, with the claims of the specification and without iat', async () => {
    const { token } = await tokens.issueLogin({ id: 'id-2', userId: 'alice', address: '$alice@localhost:3000' })
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
    expect(claims).toEqual({
      sub: 'alice',
      jti: 'id-2',
      address: '$alice@localhost:3000',
      token_use: 'login',
      iss: DOMAIN,
      aud: DOMAIN,
      exp: Math.floor(nowMs / 1000) + LOGIN_TOKEN_SECONDS,
    })
  })

  it('keeps a connection token with every command and the longest names under a gateway’s limit of 1,024 characters', async () => {
    const longest = 'a'.repeat(63)
    const token = await tokens.issueConnection({
      id: crypto.randomUUID(),
      userId: longest,
      address: `$${longest}@wallet.subsidiary.example.com`,
      scope: COMMANDS.map((command) => command.name),
      expiresAtSeconds: 253_402_300_799,
    })
    expect(token.length).toBeLessThan(1_024)
    expect(await tokens.verify(token)).toMatchObject({
      scope: COMMANDS.map((command) => command.name),
      expiresAtSeconds: 253_402_300_799,
    })
  })

  it('omits exp when no expiration was requested', async () => {
    const token = await tokens.issueConnection({
      id: 'x',
      userId: 'bob',
      address: '$bob@x',
      scope: ['get_info'],
      expiresAtSeconds: undefined,
    })
    expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).not.toContain('exp')
  })
})
