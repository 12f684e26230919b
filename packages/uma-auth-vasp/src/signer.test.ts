import { createPrivateKey, sign as signBytes } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { newKeyPair } from '../test/key-pair'
import { claimsOf, createTestVasp, keys, pair, ROOT } from '../test/memory-bank'
import { signAny } from '../test/token-faults'
import { fromDer, importKeys, type Signer } from './keys'
import type { PendingLogin } from './login'

const privateKey = createPrivateKey(pair.privatePem)
const rawOf = (data: Uint8Array, key = privateKey): Uint8Array =>
  signBytes('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
const elsewhere = (sign: (data: Uint8Array) => unknown, kid?: string) => ({ sign, kid }) as Signer

function vaspWith(signing: Signer, verification = keys.verification) {
  return createTestVasp({}, { keys: { signing, verification }, callbackTimeoutSeconds: 0.02 })
}

describe('a key that signs elsewhere', () => {
  it('signs in and connects, and its tokens name the key', async () => {
    const { vasp, call } = vaspWith(elsewhere(async (data) => rawOf(data), 'tokens-2026:1'))
    const url = `/login?redirect_uri=${encodeURIComponent(`${ROOT}/cb`)}`
    const sessionBinding = 'secret of this browser'
    const { pending } = (await vasp.login.start({ method: 'GET', url }, sessionBinding)) as PendingLogin
    const user = { id: 'alice', address: '$alice@bank.example', currencyCode: 'USD' }
    const sent = await vasp.login.finish({ method: 'POST', pending, sessionBinding, user })
    const login = new URL(sent.headers.get('location') ?? '').searchParams.get('token') ?? ''
    const body = { permissions: ['get_balance'] }
    const { body: exchanged } = await call({ method: 'POST', path: '/token', token: login, body })
    const token = String(exchanged.token)
    expect(JSON.parse(atob(token.split('.')[0] ?? ''))).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'tokens-2026:1' })
    expect((await call({ path: '/balance', token })).status).toBe(200)
  })

  it('may return its signature at once, in a part of a larger buffer, and leave out the kid', async () => {
    const part = (data: Uint8Array): Uint8Array => {
      const buffer = new Uint8Array(100)
      buffer.set(rawOf(data), 7)
      data.fill(0)
      return buffer.subarray(7, 71)
    }
    const { vasp } = vaspWith(elsewhere(part))
    const { token } = await vasp.tokens.issueLogin({ id: 'a', userId: 'alice', address: '$alice@bank.example' })
    expect(JSON.parse(atob(token.split('.')[0] ?? ''))).toEqual({ alg: 'ES256', typ: 'JWT' })
    expect(await vasp.tokens.verify(token)).toMatchObject({ id: 'a' })
  })

  const other = createPrivateKey(newKeyPair().privatePem)
  it.each<[string, (data: Uint8Array) => unknown]>([
    ['DER', (data) => signBytes('sha256', data, privateKey)],
    ['another key', (data) => rawOf(data, other)],
    ['other data', () => rawOf(new Uint8Array(3))],
    ['another hash', (data) => signBytes('sha512', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })],
    ['64 zeros', () => new Uint8Array(64)],
    ['63 bytes', (data) => rawOf(data).subarray(1)],
    ['an array of numbers', (data) => [...rawOf(data)]],
    ['base64', (data) => Buffer.from(rawOf(data)).toString('base64')],
    ['undefined', () => undefined],
    ['null', () => null],
    ['true', () => true],
    ['nothing in time', () => new Promise(() => undefined)],
    ['an error', () => Promise.reject(new Error('the KMS is away'))],
  ])('issues no token when it answers %s, and logs why', async (_, sign) => {
    const { vasp, call, connections, logins, logged, loginToken } = vaspWith(elsewhere(async (data) => rawOf(data)))
    const login = await loginToken()
    const faulty = vaspWith(elsewhere(sign))
    logins.forEach((stored, id) => faulty.logins.set(id, stored))
    const answer = await faulty.call({
      method: 'POST',
      path: '/token',
      token: login,
      body: { permissions: ['get_info'] },
    })
    expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']])
    expect([connections.size, faulty.connections.size, faulty.logged.length]).toEqual([0, 0, 1])
    expect([logged.length, (await call({ path: '/info', token: login })).status]).toEqual([0, 200])
    expect(vasp.tokens.canSign).toBe(true)
  })

  it('is not checked where no verification key is known', async () => {
    const { vasp } = vaspWith(
      elsewhere((data) => rawOf(data, other)),
      [],
    )
    const { token } = await vasp.tokens.issueLogin({ id: 'a', userId: 'alice', address: undefined })
    expect(claimsOf(token)).toMatchObject({ sub: 'alice' })
  })

  it('may be replaced: tokens of the old key stay valid, whatever their kid', async () => {
    const next = newKeyPair()
    const both = await importKeys({ publicKey: next.publicPem, previousPublicKey: pair.publicPem })
    const old = vaspWith(elsewhere((data) => rawOf(data), 'one'))
    const fresh = vaspWith(
      elsewhere((data) => rawOf(data, createPrivateKey(next.privatePem)), 'two'),
      [...both.verification],
    )
    const subject = { id: 'a', userId: 'alice', address: '$alice@bank.example' }
    const tokens = [
      (await old.vasp.tokens.issueLogin(subject)).token,
      (await fresh.vasp.tokens.issueLogin(subject)).token,
    ]
    for (const token of tokens) expect(await fresh.vasp.tokens.verify(token)).toMatchObject({ id: 'a' })
    expect(await old.vasp.tokens.verify(tokens[1] ?? '')).toBeUndefined()
  })

  it.each(['', 'a/b', '../x', 'a b', 'a'.repeat(129), 7, ['a']])('neither has nor accepts the kid %j', async (kid) => {
    const sign = vi.fn()
    expect(() => vaspWith({ sign, kid: kid as string })).toThrow(/^keys\.signing must be /)
    const claims = { sub: 'alice', jti: 'a', token_use: 'connection', iss: 'bank.example', aud: 'bank.example' }
    const token = signAny(claims, pair.privatePem, { alg: 'ES256', typ: 'JWT', kid })
    expect(await createTestVasp().vasp.tokens.check(token)).toBe('malformed')
  })

  it.each([null, {}, 'key', { sign: 'text' }, keys.verification[0], [keys.signing]])('is not %j', (signing) => {
    expect(() => vaspWith(signing as never)).toThrow(/^keys\.signing must be /)
  })
})

describe('fromDer', () => {
  it('converts what OpenSSL signs, also numbers with fewer and with more bytes', async () => {
    const lengths = new Set<number>()
    for (let index = 0; index < 600; index++) {
      const data = new TextEncoder().encode(`message ${index}`)
      const der = signBytes('sha256', data, privateKey)
      lengths.add(der.length)
      const key = keys.verification[0] as CryptoKey
      const raw = new Uint8Array(fromDer(der))
      expect(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, raw, data)).toBe(true)
    }
    expect(lengths.size).toBeGreaterThan(2)
  })

  it('refuses every cut, longer or changed structure', () => {
    const der = new Uint8Array(signBytes('sha256', new Uint8Array(1), privateKey))
    for (let length = 0; length < der.length; length++)
      expect(() => fromDer(der.subarray(0, length))).toThrow(TypeError)
    expect(() => fromDer(new Uint8Array([...der, 0]))).toThrow(TypeError)
    for (const at of [0, 1, 2]) expect(() => fromDer(der.with(at, 0x31))).toThrow(TypeError)
    expect(() => fromDer(new Uint8Array(64).fill(0x30))).toThrow(TypeError)
    expect(() => fromDer(rawOf(new Uint8Array(1)))).toThrow(TypeError)
  })
})
