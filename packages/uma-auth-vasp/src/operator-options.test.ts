import { describe, expect, it, vi } from 'vitest'
import { claimsOf, createTestVasp, HASH, ROOT, type Backend, type Options, type TestCall } from '../test/memory-bank'
import { COMMANDS } from './commands'
import { PaymentPending } from './errors'
import type { PendingLogin } from './login'

const URL_OF_LOGIN = `/login?redirect_uri=${encodeURIComponent(`${ROOT}/cb`)}`
const sessionBinding = 'secret of this browser'
const ALICE = { id: 'alice', address: '$alice@bank.example', currencyCode: 'USD' }
const ALL = { method: 'POST', path: '/token', body: { permissions: COMMANDS.map(({ name }) => name) } }

async function signIn(options: Partial<Options>, user = ALICE) {
  const bank = createTestVasp({}, options)
  const { login } = bank.vasp
  const { pending } = (await login.start({ method: 'GET', url: URL_OF_LOGIN }, sessionBinding)) as PendingLogin
  const answer = await login.finish({ method: 'POST', pending, sessionBinding, user })
  return { ...bank, answer, login: new URL(answer.headers.get('location') ?? ROOT).searchParams.get('token') ?? '' }
}

describe('ownClaims', () => {
  it('are in both tokens, beside the claims of the package', async () => {
    const ownClaims = vi.fn<NonNullable<Options['ownClaims']>>(async ({ use }) => ({ tier: 2, tenant: 'de', use }))
    const { login, call } = await signIn({ ownClaims })
    expect(claimsOf(login)).toMatchObject({ tier: 2, tenant: 'de', use: 'login', token_use: 'login', sub: 'alice' })
    const { body } = await call({ ...ALL, token: login })
    expect(claimsOf(String(body.token))).toMatchObject({ tier: 2, use: 'connection', token_use: 'connection' })
    expect((await call({ path: '/balance', token: String(body.token) })).status).toBe(200)
    expect(ownClaims).toHaveBeenCalledWith({ use: 'connection', userId: 'alice', address: '$alice@bank.example' })
  })

  const reserved = ['sub', 'iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'address', 'scope', 'token_use']
  it.each<[string, unknown]>([
    ...reserved.map((name): [string, unknown] => [`the claim ${name}`, { a: 1, [name]: 'x' }]),
    ['a claim from toJSON', { toJSON: () => ({ sub: 'bob' }) }],
    ['257 characters', { a: 'x'.repeat(249) }],
    ['a list', ['a']],
    ['null', null],
    ['undefined', undefined],
    ['a text', 'tier'],
    ['a bigint', { tier: 2n }],
    ['a date', new Date(0)],
    ['a rejected promise', () => Promise.reject(new Error('away'))],
  ])('issue no token when they are %s', async (_, own) => {
    const make = typeof own === 'function' ? own : () => own
    const { answer, logins, logged } = await signIn({ ownClaims: () => make() as never })
    expect([answer.status, logins.size, logged.length]).toEqual([500, 0, 1])
  })

  it('may have 256 characters, and count for the length of the longest token', async () => {
    const ownClaims = () => ({ a: 'x'.repeat(248) })
    expect((await signIn({ ownClaims })).answer.status).toBe(303)
    const long = { ...ALICE, id: 'u'.repeat(150) }
    expect((await signIn({ ownClaims }, long)).answer.status).toBe(500)
    expect((await signIn({}, long)).answer.status).toBe(303)
  })
})

describe('commandsOf', () => {
  it('restricts one user, in /info and at the call, and needs not name what every connection has', async () => {
    const commandsOf: Backend['commandsOf'] = async ({ userId }) => (userId === 'alice' ? ['get_balance'] : [])
    const { call, connectionToken, trace } = createTestVasp({ commandsOf, fetchQuote: undefined })
    const token = await connectionToken(COMMANDS.map(({ name }) => name))
    expect((await call({ path: '/info', token })).body.methods).toEqual(['get_info', 'get_budget', 'get_balance'])
    expect((await call({ path: '/balance', token })).status).toBe(200)
    const pay: TestCall = { method: 'POST', path: '/payments/bolt11', token, body: { invoice: 'lnbcrt1' } }
    expect(await call(pay)).toMatchObject({
      status: 403,
      bodyWasRead: false,
      body: { code: 'RESTRICTED', message: 'pay_invoice is not available to this user.' },
    })
    expect(trace).not.toContain('payInvoice')
  })

  it('adds nothing: neither a command without a method nor one that the connection was not granted', async () => {
    const commandsOf = () => COMMANDS.map(({ name }) => name)
    const { call, connectionToken } = createTestVasp({ commandsOf, payKeysend: undefined })
    const token = await connectionToken(['get_info', 'pay_keysend'])
    expect((await call({ path: '/info', token })).body.methods).not.toContain('pay_keysend')
    expect((await call({ path: '/balance', token })).status).toBe(403)
    const keysend = { method: 'POST', path: '/payments/keysend', token, body: { amount: 1, pubkey: `02${HASH}` } }
    expect((await call(keysend)).status).toBe(501)
  })

  it.each([
    undefined,
    null,
    'pay_invoice',
    { pay_invoice: true },
    new Set(['pay_invoice']),
    new Promise(() => undefined),
  ])('pays nothing and answers 500 when it answers %j', async (answer) => {
    const options = { callbackTimeoutSeconds: 0.02 }
    const { call, connectionToken, trace, logged } = createTestVasp({ commandsOf: () => answer as never }, options)
    const token = await connectionToken()
    const pay: TestCall = { method: 'POST', path: '/payments/bolt11', token, body: { invoice: 'lnbcrt1' } }
    expect((await call(pay)).status).toBe(500)
    expect(trace).not.toContain('payInvoice')
    expect(logged).toHaveLength(1)
  })
})

describe('PaymentPending', () => {
  it.each([
    [30, '30'],
    [0.2, '1'],
    [undefined, null],
    [NaN, null],
    [-1, null],
    ['5\r\nX: y', null],
  ])('with retryAfterSeconds %j sends Retry-After: %s', async (retryAfterSeconds, header) => {
    const payInvoice = () => {
      throw new PaymentPending(undefined, { retryAfterSeconds: retryAfterSeconds as number })
    }
    const { call, connectionToken } = createTestVasp({ payInvoice })
    const token = await connectionToken()
    const answer = await call({ method: 'POST', path: '/payments/bolt11', token, body: { invoice: 'lnbcrt1' } })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([504, header])
  })
})

describe('an option that is undefined', () => {
  it('is as if it were left out', async () => {
    const options: Partial<Options> = {
      apiBasePath: undefined,
      umaMajorVersions: undefined,
      umaRequestEndpoint: undefined,
      openApi: undefined,
      observe: undefined,
      allows: undefined,
      ownClaims: undefined,
      callbackTimeoutSeconds: undefined,
      log: undefined,
      newId: undefined,
    }
    const { call, connectionToken, vasp } = createTestVasp({}, options)
    expect((await call({ path: '/balance', token: await connectionToken() })).status).toBe(200)
    expect(vasp.discovery()).toEqual(createTestVasp().vasp.discovery())
    expect(() => createTestVasp({}, { clock: undefined })).not.toThrow()
  })
})
