import { describe, expect, it } from 'vitest'
import { claimsOf, createTestVasp, keys, NOW_MS, type Backend, type Options } from '../test/memory-bank'
import { COMMANDS } from './commands'
import { WalletError } from './errors'

const NOW = NOW_MS / 1000
const REQUEST = { method: 'POST', path: '/token' }
const ALWAYS = ['get_info', 'get_budget']

/** Exchanges a fresh login token of alice with this body. */
async function exchange(body: unknown, changes: Partial<Backend> = {}, options: Partial<Options> = {}) {
  const bank = createTestVasp(changes, options)
  const answer = await bank.call({ ...REQUEST, token: await bank.loginToken(), body })
  return { ...bank, ...answer }
}

/** The connection that was stored, and the claims of its token. */
async function exchanged(body: unknown) {
  const { status, body: answer, connections } = await exchange(body)
  expect(status).toBe(200)
  const claims = claimsOf(String(answer.token))
  return { claims, stored: connections.get(String(claims.jti)) }
}

interface Fault {
  readonly status: number
  readonly error: string
  readonly check: string
  readonly userId?: string
  readonly token?: string
  readonly backend?: Partial<Backend>
  readonly body?: object
  readonly options?: Partial<Options>
}

const created = (result: 'login-closed' | 'login-used-up'): Partial<Backend> => ({
  connections: { create: async () => result, open: async () => undefined },
})

/** In the order of the specification. */
const FAULTS: Readonly<Record<string, Fault>> = {
  token: { status: 401, error: 'Unauthorized', check: 'bearer', token: 'a.b.c' },
  'rate limit': {
    status: 429,
    error: 'Too many.',
    check: 'rate limit',
    backend: {
      admit: () => {
        throw new WalletError('RATE_LIMITED', 'Too many.')
      },
    },
  },
  user: { status: 404, error: 'User mallory not found.', check: 'account', userId: 'mallory' },
  permissions: { status: 400, error: 'Permissions are required.', check: 'input', body: { permissions: [] } },
  expiration: {
    status: 400,
    error: 'expiration must be a whole number of seconds since 1970, in the future.',
    check: 'input',
    body: { expiration: NOW },
  },
  'signing key': {
    status: 500,
    error: 'JWT private key not configured',
    check: 'work',
    options: { keys: { signing: undefined, verification: keys.verification } },
  },
  'closed login': { status: 401, error: 'Unauthorized', check: 'work', backend: created('login-closed') },
}

describe('the order of the refusals of POST /token', () => {
  const names = Object.keys(FAULTS)
  const pairs = names.flatMap((first, index) => names.slice(index).map((second) => [first, second] as const))

  it.each(pairs)('refuses for the %s when the %s fails too', async (first, second) => {
    const faults = [FAULTS[second], FAULTS[first]].filter((fault) => fault !== undefined)
    const changes = Object.assign({}, ...faults.map(({ backend }) => backend)) as Partial<Backend>
    const bank = createTestVasp(changes, Object.assign({}, ...faults.map(({ options }) => options)) as Partial<Options>)
    const userId = faults.find((fault) => fault.userId !== undefined)?.userId
    // A VASP without a signing key got its tokens from an instance that has one.
    const token = await createTestVasp().loginToken(userId)
    bank.logins.set(String(claimsOf(token).jti), {} as never)
    const body = Object.assign({ permissions: ['get_balance'] }, ...faults.map((fault) => fault.body)) as object
    const sent = faults.find((fault) => fault.token !== undefined)?.token ?? token
    const answer = await bank.call({ ...REQUEST, token: sent, body })
    const { status, error, check } = FAULTS[first] as Fault
    expect([answer.status, answer.body]).toEqual([status, { error }])
    expect(bank.events).toMatchObject([{ status, failedCheck: check, connectionId: undefined }])
    expect(answer.bodyWasRead).toBe(!['token', 'rate limit', 'user'].includes(first))
    expect(bank.connections.size).toBe(0)
  })

  it('answers 401 to a connection token and to an ended login, before the body is read', async () => {
    const bank = createTestVasp()
    const body = { permissions: ['get_info'] }
    const subject = { id: 'connection', userId: 'alice', address: '$alice@bank.example', scope: ['get_info'] as const }
    const ending = await bank.vasp.tokens.issueConnection({ ...subject, expiresAtSeconds: NOW + 600 })
    const connections = [await bank.connectionToken(), ending].map((each) =>
      bank.call({ ...REQUEST, token: each, body }),
    )
    const token = await bank.loginToken()
    bank.logins.clear()
    const ended = await bank.call({ ...REQUEST, token, body })
    for (const answer of [...(await Promise.all(connections)), ended])
      expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized' }, bodyWasRead: false })
  })

  it('answers 429 with Retry-After to a login that has created all its connections', async () => {
    const { status, headers, body } = await exchange({ permissions: ['get_info'] }, created('login-used-up'))
    expect([status, headers.get('retry-after'), Object.keys(body)]).toEqual([429, '600', ['error']])
  })

  it('answers 429 with the bank’s own text when the bank refuses a further connection of this user', async () => {
    const create = () => Promise.reject(new WalletError('RATE_LIMITED', 'Revoke unused connections first.'))
    const { status, headers, body, logged } = await exchange(
      { permissions: ['get_info'] },
      { connections: { create, open: async () => undefined } },
    )
    expect([status, headers.has('retry-after'), body]).toEqual([
      429,
      false,
      { error: 'Revoke unused connections first.' },
    ])
    expect(logged).toEqual([])
  })

  it.each([
    ['GET', 405],
    ['HEAD', 405],
  ])('answers %s with %d and an error body of one field', async (method, status) => {
    const answer = await createTestVasp().call({ method, path: '/token' })
    expect([answer.status, answer.headers.get('allow'), Object.keys(answer.body)]).toEqual([status, 'POST', ['error']])
  })

  it('answers 413 and 500 with an error body of one field', async () => {
    const large = await exchange(' '.repeat(65 * 1024))
    expect([large.status, Object.keys(large.body)]).toEqual([413, ['error']])
    const broken = await exchange(
      { permissions: ['get_info'] },
      {
        connections: {
          create: () => Promise.reject(new Error('database is down')),
          open: async () => undefined,
        },
      },
    )
    expect([broken.status, broken.body]).toEqual([500, { error: 'Something went wrong on our side.' }])
    expect(broken.logged).toHaveLength(1)
  })
})

describe('a token exchange', () => {
  it('stores the connection under the token’s id, without an expiration when none is requested', async () => {
    const { claims, stored } = await exchanged({ permissions: ['pay_invoice', 'get_balance'] })
    const permissions = [...ALWAYS, 'get_balance', 'pay_invoice']
    expect(claims).toEqual({
      sub: 'alice',
      jti: stored?.id,
      address: '$alice@bank.example',
      token_use: 'connection',
      scope: permissions.join(' '),
      iss: 'bank.example',
      aud: 'bank.example',
    })
    expect(stored).toMatchObject({ userId: 'alice', permissions, expiresAtSeconds: undefined })
    expect(stored?.loginId).toMatch(/^login-/)
  })

  it('creates a token that works, and reports the connection to the observer', async () => {
    const { body, call, events } = await exchange({ permissions: ['get_balance'] })
    expect((await call({ path: '/balance', token: String(body.token) })).status).toBe(200)
    expect(events[0]).toMatchObject({ route: 'POST /token', connectionId: claimsOf(String(body.token)).jti })
  })

  it('calls the backend in order and releases its slot once', async () => {
    const { trace } = await exchange({ permissions: ['get_balance'] })
    expect(trace).toEqual(['admit', 'logins.find', 'connections.create', 'release'])
    const refused = await exchange({})
    expect(refused.trace).toEqual(['admit', 'logins.find', 'release'])
  })

  it.each([
    [['get_invoices'], 'lookup_invoice'],
    [['get_transactions', 'list_transactions'], 'list_transactions'],
    [['get_budget_estimate'], undefined],
    [['get_balance', 'fly', 7, null, 'get_balance'], 'get_balance'],
  ])('reads %j as the command of the table, and ignores unknown names', async (permissions, name) => {
    const { stored } = await exchanged({ permissions })
    expect(stored?.permissions).toEqual([...ALWAYS, ...(name === undefined ? [] : [name])])
  })

  it.each([
    ['no permissions', {}],
    ['null', { permissions: null }],
    ['text', { permissions: 'get_info' }],
    ['an object', { permissions: { 0: 'get_info' } }],
    ['unknown names only', { permissions: ['fly', 'GET_INFO', '__proto__'] }],
    ['65 entries', { permissions: Array.from({ length: 65 }, () => 'get_info') }],
    ['a number', { permissions: [1] }],
    ['an empty name', { permissions: [''] }],
    ['a body that is not JSON', '{'],
    ['an empty body', ''],
    ['a deep body', '['.repeat(20_000)],
    ['a list as body', [['get_info']]],
    ['null as body', null],
  ])('answers 400 for %s', async (_, body) => {
    const { status, body: answer, connections } = await exchange(body)
    expect([status, answer, connections.size]).toEqual([400, { error: 'Permissions are required.' }, 0])
  })

  it('accepts 64 permissions', async () => {
    const permissions = [
      ...COMMANDS.map(({ name }) => name),
      ...Array.from({ length: 64 - COMMANDS.length }, (_, index) => `x${index}`),
    ]
    expect((await exchanged({ permissions })).stored?.permissions).toHaveLength(COMMANDS.length)
  })

  it.each([
    [null, undefined],
    [NOW + 1, NOW + 1],
    [253_402_300_799, 253_402_300_799],
  ])('accepts the expiration %j', async (expiration, expiresAtSeconds) => {
    const { claims, stored } = await exchanged({ permissions: ['get_info'], expiration })
    expect([claims.exp, stored?.expiresAtSeconds]).toEqual([expiresAtSeconds, expiresAtSeconds])
  })

  const NO_TIMES = [NOW + 0.5, String(NOW + 60), '2030-01-01T00:00:00Z', true, {}, []]
  const NO_EXPIRATIONS = [NOW, NOW - 1, 0, -1, 253_402_300_800, (NOW + 60) * 1000, 1e21, ...NO_TIMES]
  it.each(NO_EXPIRATIONS)('answers 400 for the expiration %j', async (expiration) => {
    const { status, body, connections } = await exchange({ permissions: ['get_info'], expiration })
    expect([status, Object.keys(body), connections.size]).toEqual([400, ['error'], 0])
    expect(body.error).toMatch(/^expiration must be /)
  })

  it('may expire at the next second, and not in the current one', async () => {
    const clock = { now: () => new Date(NOW_MS + 999) }
    const statusFor = async (expiration: number): Promise<number> =>
      (await exchange({ permissions: ['get_info'], expiration }, {}, { clock })).status
    expect([await statusFor(NOW), await statusFor(NOW + 1)]).toEqual([400, 200])
  })
})
