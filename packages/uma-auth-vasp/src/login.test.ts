import { SignJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import {
  claimsOf,
  createTestVasp,
  CURRENCIES,
  DOMAIN,
  keys,
  NOW_MS,
  ROOT,
  type Backend,
  type Options,
} from '../test/memory-bank'
import { REDIRECT_CASES } from '../test/redirect-uris'
import type { NewLogin } from './backend'
import { COMMANDS } from './commands'
import { WalletError } from './errors'
import type { PendingLogin } from './login'

const CALLBACK = `${ROOT}/oauth/auth?state=s%20t&client_id=npub1x&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&uma_username=$bob`
const BROWSER = 'cookie-of-this-browser'
const ALICE = { id: 'alice', address: `$alice@${DOMAIN}`, currencyCode: 'USD' }

const loginUrl = (redirectUri: string): string =>
  `https://${DOMAIN}/login?redirect_uri=${encodeURIComponent(redirectUri)}`

const INFO = { pubkey: '', network: 'regtest', currencies: [{ code: 'USD', multiplier: 1, min: 1n, max: 9n }] } as const

function setUp(options: Partial<Options> = {}, methods: Partial<Backend> = {}) {
  const bank = createTestVasp(methods, options)
  const { login } = bank.vasp
  return {
    ...bank,
    login,
    start: (url = loginUrl(CALLBACK), method = 'GET') => login.start({ method, url }, BROWSER),
    pending: async (): Promise<PendingLogin> => {
      const started = await login.start({ method: 'GET', url: loginUrl(CALLBACK) }, BROWSER)
      if (started instanceof Response) throw new Error(await started.text())
      return started
    },
    finish: (pending: string, changes: Partial<Parameters<typeof login.finish>[0]> = {}) =>
      login.finish({ method: 'POST', pending, sessionBinding: BROWSER, user: ALICE, ...changes }),
  }
}

async function refusal(response: Response | PendingLogin): Promise<[number, string]> {
  if (!(response instanceof Response)) throw new Error('the request was accepted')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('location')).toBeNull()
  return [response.status, await response.text()]
}

describe('login.start', () => {
  it('describes the request, and marks no part of it as verified', async () => {
    const { pending } = setUp()
    expect(await pending()).toEqual({
      pending: expect.any(String) as string,
      asksFor: 'bob',
      gatewayOrigin: ROOT,
      returnPath: '/oauth/auth',
      appHost: 'shop.example',
      clientId: 'npub1x',
    })
  })

  it.each([
    ['no redirect_uri', `https://${DOMAIN}/login`],
    ['an empty redirect_uri', `https://${DOMAIN}/login?redirect_uri=`],
    ['two redirect_uri parameters', `${loginUrl(CALLBACK)}&redirect_uri=${encodeURIComponent(CALLBACK)}`],
    ...REDIRECT_CASES.filter(({ goesTo }) => goesTo === undefined).map(({ why, redirectUri }) => [
      why,
      loginUrl(redirectUri),
    ]),
  ])('answers 400 in plain text for %s', async (_, url) => {
    const { start, trace } = setUp()
    expect(await refusal(await start(url))).toEqual([400, 'Invalid redirect_uri'])
    expect(trace).toEqual([])
  })

  it.each(['HEAD', 'POST', 'OPTIONS', 'get'])('answers 405 to %s before the redirect_uri is read', async (method) => {
    const { start } = setUp()
    const response = await start(`https://${DOMAIN}/login`, method)
    expect(response instanceof Response && response.headers.get('allow')).toBe('GET')
    expect(await refusal(response)).toEqual([405, 'The login redirect accepts GET.'])
  })

  it('accepts a path and query as the url, as node:http passes it', async () => {
    const { start } = setUp()
    expect(await start(`/login?redirect_uri=${encodeURIComponent(CALLBACK)}`)).toMatchObject({ gatewayOrigin: ROOT })
  })

  it.each(['', 'fifteen letters', undefined, 1234567890123456])(
    'throws a TypeError for the sessionBinding %j',
    async (binding) => {
      const { login } = setUp()
      const started = login.start({ method: 'GET', url: loginUrl(CALLBACK) }, binding as string)
      await expect(started).rejects.toThrow(new TypeError('sessionBinding must be a secret of at least 16 characters'))
    },
  )

  it('does not reveal sessionBinding in the pending text', async () => {
    const { pending } = await setUp().pending()
    expect(JSON.stringify(claimsOf(pending))).not.toContain(BROWSER)
  })

  it('creates no token and stores nothing', async () => {
    const { pending, trace, vasp } = setUp()
    expect(await vasp.tokens.verify((await pending()).pending)).toBeUndefined()
    expect(trace).toEqual([])
  })
})

describe('login.read', () => {
  it('returns the request again, in the same browser only', async () => {
    const { login, pending } = setUp()
    const request = await pending()
    expect(await login.read(request.pending, BROWSER)).toEqual(request)
    expect(await login.read(request.pending, 'another browser')).toBe('invalid')
    expect(await login.read(request.pending, '')).toBe('invalid')
  })

  it('returns expired after ten minutes, and invalid for another browser even then', async () => {
    const { login, pending, clock } = setUp()
    const request = await pending()
    clock.nowMs = NOW_MS + 599_999
    expect(await login.read(request.pending, BROWSER)).toEqual(request)
    clock.nowMs = NOW_MS + 600_000
    expect(await login.read(request.pending, BROWSER)).toBe('expired')
    expect(await login.read(request.pending, 'another browser')).toBe('invalid')
  })

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['a token of three empty parts', '..'],
  ])('returns invalid for %s', async (_, pending) => {
    expect(await setUp().login.read(pending, BROWSER)).toBe('invalid')
  })

  it('returns invalid for a changed request, and for one with another secret, gateway or purpose', async () => {
    const { login, pending } = setUp()
    const text = (await pending()).pending
    const [header, , signature] = text.split('.')
    const changed = btoa(JSON.stringify({ ...claimsOf(text), redirect_uri: `${ROOT}/other` })).replaceAll('=', '')
    expect(await login.read(`${header}.${changed}.${signature}`, BROWSER)).toBe('invalid')
    const elsewhere = [{ loginSecret: 'y'.repeat(32) }, { gatewayRootUrl: 'https://other.example' }]
    for (const options of elsewhere) expect(await setUp(options).login.read(text, BROWSER)).toBe('invalid')
    const { bound_to: boundTo, exp } = claimsOf(text)
    const sign = (claims: Record<string, unknown>): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('x'.repeat(32)))
    const good = { jti: 'id-1', redirect_uri: CALLBACK, bound_to: boundTo, exp, aud: 'uma-auth-pending-login' }
    expect(await login.read(await sign(good), BROWSER)).toMatchObject({ gatewayOrigin: ROOT })
    for (const bad of [
      { aud: DOMAIN },
      { exp: undefined },
      { bound_to: undefined },
      { jti: undefined },
      { redirect_uri: 'https://evil.example/' },
    ])
      expect(await login.read(await sign({ ...good, ...bad }), BROWSER)).toBe('invalid')
  })
})

describe('login.finish', () => {
  it('redirects to the gateway with exactly one token and currency, and stores the login first', async () => {
    const { finish, pending, logins, trace, vasp } = setUp()
    const response = await finish((await pending()).pending, { sessionId: 'session-1' })
    expect([response.status, response.headers.get('cache-control')]).toEqual([303, 'no-store'])
    const to = new URL(response.headers.get('location') ?? '')
    expect(to.href.startsWith(`${CALLBACK}&token=`)).toBe(true)
    expect(to.searchParams.getAll('token')).toHaveLength(1)
    expect(to.searchParams.getAll('currency').map((text) => JSON.parse(text) as unknown)).toEqual([CURRENCIES[0]])
    const claims = await vasp.tokens.verify(to.searchParams.get('token') ?? '')
    expect(claims).toMatchObject({ use: 'login', userId: 'alice', expiresAtSeconds: NOW_MS / 1000 + 600 })
    expect([...logins.values()]).toEqual([
      {
        id: claims?.id,
        userId: 'alice',
        address: '$alice@bank.example',
        expiresAtSeconds: NOW_MS / 1000 + 600,
        sessionId: 'session-1',
        appHost: 'shop.example',
        clientId: 'npub1x',
      },
    ])
    expect(trace).toEqual(['logins.create'])
  })

  it('replaces a token and a currency in the redirect_uri', async () => {
    const { login, finish } = setUp()
    const started = await login.start(
      { method: 'GET', url: loginUrl(`${ROOT}/cb?token=evil&%74oken=evil&currency=evil&state=1`) },
      BROWSER,
    )
    const response = await finish((started as PendingLogin).pending, { method: 'GET' })
    const { searchParams } = new URL(response.headers.get('location') ?? '')
    expect([...searchParams.keys()]).toEqual(['state', 'token', 'currency'])
    expect(searchParams.toString()).not.toContain('evil')
  })

  it('answers 400 in another browser, and after ten minutes, with different messages', async () => {
    const { finish, pending, clock, logins } = setUp()
    const { pending: text } = await pending()
    const [status, invalid] = await refusal(await finish(text, { sessionBinding: 'another browser' }))
    clock.nowMs += 600_000
    const [later, expired] = await refusal(await finish(text))
    expect([status, later]).toEqual([400, 400])
    expect(invalid).toContain('not valid in this browser')
    expect(expired).toContain('expired')
    expect(logins.size).toBe(0)
  })

  it.each(['HEAD', 'PUT', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const { finish, pending, trace } = setUp()
    const response = await finish((await pending()).pending, { method })
    expect(response.headers.get('allow')).toBe('GET, POST')
    expect((await refusal(response))[0]).toBe(405)
    expect(trace).toEqual([])
  })

  it('answers 500 without a signing key, and stores no login', async () => {
    const { finish, pending, trace } = setUp({ keys: { signing: undefined, verification: keys.verification } })
    expect(await refusal(await finish((await pending()).pending))).toEqual([500, 'JWT private key not configured'])
    expect(trace).toEqual([])
  })

  it.each([
    '0',
    '42',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'auth0|123',
    'Alice Smith',
    'cn="a\\b",dc=bank',
    'x'.repeat(255),
  ])('takes any printable id of the bank, and keeps it apart from the address: %j', async (id) => {
    const stored: NewLogin[] = []
    const create = async (login: NewLogin) => {
      stored.push(login)
      return 'created' as const
    }
    const anyone = { create: async () => 'created' as const, open: async () => ({ userId: id }) }
    const connections = { ...anyone, create: vi.fn<Backend['connections']['create']>(anyone.create) }
    const { finish, pending, call } = setUp({}, { logins: { create, find: async () => 'open' }, connections })
    const { pending: text } = await pending()
    const user = { id, address: '$a.b+c_d-e@bank.example', currencyCode: 'SAT' }
    const location = (await finish(text, { user })).headers.get('location') ?? ''
    const login = new URL(location).searchParams.get('token') ?? ''
    expect(claimsOf(login)).toMatchObject({ sub: id, address: user.address })
    expect(stored).toMatchObject([{ userId: id, address: user.address }])
    const body = { permissions: COMMANDS.map(({ name }) => name), expiration: 253_402_300_799 }
    const { status, body: answer } = await call({ method: 'POST', path: '/token', token: login, body })
    expect(status).toBe(200)
    const token = String(answer.token)
    expect(token.length).toBeLessThan(1_024)
    expect(claimsOf(token)).toMatchObject({ sub: id, address: user.address })
    expect(connections.create.mock.calls).toMatchObject([[{ userId: id, address: user.address }]])
    expect((await call({ path: '/info', token })).body.lud16).toBe(user.address)
  })

  it.each([undefined, null, '', 42, ['alice'], 'a\nb', 'a\u0000', 'Zoë', 'a'.repeat(256)])(
    'rejects the user id %j and stores no login',
    async (id) => {
      const { finish, pending, trace } = setUp()
      const { pending: text } = await pending()
      await expect(finish(text, { user: { ...ALICE, id: id as string } })).rejects.toThrow(/^user\.id must be /)
      expect(trace).toEqual([])
    },
  )

  it.each([
    undefined,
    null,
    '',
    'alice',
    'alice@bank.example',
    '$alice',
    '$Alice@bank.example',
    '$al ice@bank.example',
    '$alice@bank.example/x',
    '$alice@bank.example\n',
    '$a@b@bank.example',
    `$${'a'.repeat(64)}@bank.example`,
    `$a@${'b'.repeat(260)}`,
    ['$alice@bank.example'],
  ])('rejects the address %j and stores no login', async (address) => {
    const { finish, pending, trace } = setUp()
    const { pending: text } = await pending()
    await expect(finish(text, { user: { ...ALICE, address: address as string } })).rejects.toThrow(
      /^user\.address must be /,
    )
    expect(trace).toEqual([])
  })

  it('refuses exactly the users whose connection token with every command would reach 1,024 characters', async () => {
    const { vasp, logins, logged, pending, finish } = setUp({ domain: `${'d'.repeat(150)}.example` })
    const subject = (length: number) => ({ id: 'id-9', userId: 'u'.repeat(length), address: '$alice@bank.example' })
    const all = { scope: COMMANDS.map(({ name }) => name), expiresAtSeconds: 253_402_300_799 }
    const lengths = Array.from({ length: 255 }, (_, index) => index + 1)
    const fits = await Promise.all(lengths.map((length) => vasp.tokens.fitsConnection(subject(length))))
    const longest = fits.lastIndexOf(true) + 1
    expect([fits.indexOf(false), fits[0]]).toEqual([longest, true])
    const issued = await vasp.tokens.issueConnection({ ...subject(longest), ...all })
    expect(issued.length).toBeLessThan(1_024)
    await expect(vasp.tokens.issueConnection({ ...subject(longest + 1), ...all })).rejects.toThrow('too long')

    const { pending: text } = await pending()
    const answer = await finish(text, { user: { ...ALICE, id: 'u'.repeat(255) } })
    expect(await refusal(answer)).toEqual([500, 'Something went wrong on our side.'])
    expect(logins.size).toBe(0)
    expect(logged).toMatchObject([{ fields: { err: { message: expect.stringContaining('too long') as string } } }])
  })

  it('connects one user under several addresses, and shows the current one where the bank names it', async () => {
    const getInfo = vi.fn<Backend['getInfo']>(() => INFO)
    const { finish, pending, call } = setUp({}, { getInfo })
    const tokens: string[] = []
    for (const address of ['$one@bank.example', '$two@bank.example']) {
      const answer = await finish((await pending()).pending, { user: { ...ALICE, address } })
      tokens.push(new URL(answer.headers.get('location') ?? '').searchParams.get('token') ?? '')
    }
    const shown = async () =>
      Promise.all(tokens.map(async (token) => (await call({ path: '/info', token })).body.lud16))
    expect(await shown()).toEqual(['$one@bank.example', '$two@bank.example'])
    getInfo.mockReturnValue({ ...INFO, lud16: '$new@bank.example' })
    expect(await shown()).toEqual(['$new@bank.example', '$new@bank.example'])
  })

  it('rejects a user whose currency is unknown, and stores no login', async () => {
    const { finish, pending, trace } = setUp()
    const { pending: text } = await pending()
    await expect(finish(text, { user: { ...ALICE, currencyCode: 'EUR' } })).rejects.toThrow(TypeError)
    expect(trace).toEqual([])
  })

  it('finishes a request once, also for two calls at once and for another user', async () => {
    const { finish, pending, logins } = setUp()
    const { pending: text } = await pending()
    const bob = { id: 'bob', address: `$bob@${DOMAIN}`, currencyCode: 'USD' }
    const answers = await Promise.all([finish(text), finish(text), finish(text, { user: bob })])
    const last = await finish(text, { user: bob })
    expect([...answers, last].map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400])
    expect(await refusal(last)).toEqual([400, expect.stringContaining('has been used')])
    // Any of the three may be the first whose token is signed; the login that is stored is the one of the answer that succeeded.
    const winner = answers.findIndex(({ status }) => status === 303)
    expect([...logins.values()]).toMatchObject([{ userId: ['alice', 'alice', 'bob'][winner] }])
  })

  it.each([
    ['a list', [BROWSER]],
    ['an object with toString', { toString: () => BROWSER }],
    ['undefined', undefined],
    ['a number', 1],
  ])('does not take %s for the text of sessionBinding or pending', async (_, value) => {
    const { login, finish, pending, logins } = setUp()
    const { pending: text } = await pending()
    expect(await login.read(text, value as string)).toBe('invalid')
    expect(await login.read([text] as never, BROWSER)).toBe('invalid')
    expect((await finish(text, { sessionBinding: value as string })).status).toBe(400)
    expect((await finish([text] as never)).status).toBe(400)
    expect(logins.size).toBe(0)
  })

  it('passes on the refusal of a bank that cannot store the login', async () => {
    const create = () => {
      throw new WalletError('INTERNAL', 'The bank is closed.', { retryAfterSeconds: 6.5 })
    }
    const { vasp, logged } = createTestVasp({ logins: { create, find: async () => 'open' } })
    const started = (await vasp.login.start({ method: 'GET', url: loginUrl(CALLBACK) }, BROWSER)) as PendingLogin
    const login = { method: 'POST', pending: started.pending, sessionBinding: BROWSER, user: ALICE }
    const response = await vasp.login.finish(login)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await refusal(response)).toEqual([503, 'The bank is closed.'])
    expect(logged).toEqual([])
  })
})
