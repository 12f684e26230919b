import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createTestVasp,
  DOMAIN,
  HASH,
  moment,
  PREIMAGE,
  ROOT,
  TRANSACTION,
  type Backend,
  type Options,
  type TestCall,
} from '../test/memory-bank'
import { toNodeHandler } from './adapters/node-http'
import { WalletError } from './errors'
import type { PendingLogin } from './login'
import type { TokenClaims } from './tokens'

/** What a function of the bank or the operator may do by mistake. */
const VALUES: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  false: false,
  true: true,
  '0': 0,
  'an empty text': '',
  'an empty object': {},
  'an empty list': [],
  NaN: NaN,
  'a wrong word': 'créé',
  'a bigint': 1n,
}
const broken = (): never => {
  throw new Error('the database password is hunter2')
}
const never = (): Promise<never> => new Promise(() => undefined)
const MISTAKES: Readonly<Record<string, () => unknown>> = {
  ...Object.fromEntries(Object.entries(VALUES).map(([name, value]) => [name, () => value])),
  ...Object.fromEntries(Object.entries(VALUES).map(([name, value]) => [`a promise of ${name}`, async () => value])),
  'a thrown error': broken,
  'a thrown undefined': () => {
    throw undefined
  },
  'a rejected promise': async () => broken(),
  'a PaymentPending': () => {
    throw Object.assign(new Error('still pending'), { name: 'PaymentPending' })
  },
  'a promise that never settles': never,
}
const NAMES = Object.keys(MISTAKES)

const mistake = (name: string): (() => never) => MISTAKES[name] as () => never
const LIMIT = { callbackTimeoutSeconds: 0.02 }
const PAY: TestCall = { method: 'POST', path: '/payments/bolt11', body: { invoice: 'lnbcrt1' } }
const EXCHANGE: TestCall = { method: 'POST', path: '/token', body: { permissions: ['pay_invoice'] } }
/** The mistakes that are answers for the caller after all. Any other is 500. */
type Expected = Readonly<Record<string, number>>

const both = (name: string, status: number): Expected => ({ [name]: status, [`a promise of ${name}`]: status })

/** A bank that counts its payments. */
function bankWith(changes: Partial<Backend>, options: Partial<Options> = {}) {
  let paid = 0
  const payInvoice = () => {
    paid += 1
    return { preimage: PREIMAGE, totalBudgetAmount: 5n }
  }
  return { ...createTestVasp({ payInvoice, ...changes }, { ...LIMIT, ...options }), paid: () => paid }
}

/** A function that works until the test arms it: tokens are issued before. */
function armed<Result>(good: (...args: never[]) => Result, bad: () => Result) {
  let isArmed = false
  return { arm: () => void (isArmed = true), call: ((...args: never[]) => (isArmed ? bad() : good(...args))) as never }
}

describe('a function that decides about a call', () => {
  async function payWith(name: string, changes: Partial<Backend>, options: Partial<Options>, expected: Expected) {
    const { call, connectionToken, paid, logged } = bankWith(changes, options)
    const answer = await call({ ...PAY, token: await connectionToken() })
    expect(answer.status).toBe(expected[name] ?? 500)
    expect(paid()).toBe(answer.status === 200 ? 1 : 0)
    expect(JSON.stringify(answer.body)).not.toContain('hunter2')
    if (answer.status === 500) expect(logged.length).toBeGreaterThan(0)
    return logged
  }
  const tryAll = (
    title: string,
    expected: Expected,
    wrong: (name: string) => [Partial<Backend>, Partial<Options>],
  ): void =>
    it.each(NAMES)(title, async (name) => {
      await payWith(name, ...wrong(name), expected)
    })

  tryAll(
    'allows: only true admits, and false refuses; not %s',
    { ...both('true', 200), ...both('false', 403) },
    (name) => [{}, { allows: mistake(name) }],
  )

  tryAll('admit: only a slot, or undefined without one, is let in; not %s', both('undefined', 200), (name) => [
    { admit: mistake(name) },
    {},
  ])

  it.each(NAMES)('connections.open: only an object is a caller, not %s', async (name) => {
    const refused = Object.keys(VALUES).map((value) => both(value, 401))
    const expected = Object.assign({}, ...refused, both('an empty object', 200)) as Expected
    const connections = { create: async () => 'created' as const, open: mistake(name) }
    const logged = await payWith(name, { connections }, {}, expected)
    if (/^(a promise of )?(undefined|an empty object)$/.test(name)) expect(logged).toEqual([])
    else expect(logged).toHaveLength(1)
  })

  it.each(NAMES)('clock: a call is answered with 500 when it is %s', async (name) => {
    const clock = armed(() => new Date(1_800_000_000_000), mistake(name))
    const { call, connectionToken, paid, logged } = bankWith({}, { clock: { now: clock.call } })
    const token = await connectionToken()
    clock.arm()
    expect((await call({ ...PAY, token })).status).toBe(500)
    expect([paid(), logged.length]).toEqual([0, 1])
  })

  it.each([
    ['an invalid date', new Date(NaN)],
    ['a time', Date.now()],
    ['a text', '2026-01-01'],
  ])('clock: a token that has expired is not valid again when the time is %s', async (_, now) => {
    const clock = armed(
      () => new Date(1_000),
      () => now as Date,
    )
    const { vasp } = bankWith({}, { clock: { now: clock.call } })
    const subject = { id: 'c', userId: 'alice', address: `$alice@${DOMAIN}` }
    const token = await vasp.tokens.issueConnection({ ...subject, scope: [], expiresAtSeconds: 2 })
    clock.arm()
    await expect(vasp.tokens.verify(token)).rejects.toThrow('no valid Date')
  })

  it.each([...NAMES, 'a text with a line break', 'a text of 65 characters'])(
    'newId: a call is answered with 500 for %s',
    async (name) => {
      const texts: Record<string, string> = {
        'a text with a line break': 'a\r\nb',
        'a text of 65 characters': 'a'.repeat(65),
      }
      const newId = name in texts ? () => texts[name] ?? '' : mistake(name)
      const { vasp, paid, logged } = bankWith({}, { newId })
      const subject = { id: 'connection-1', userId: 'alice', address: `$alice@${DOMAIN}`, expiresAtSeconds: undefined }
      const token = await vasp.tokens.issueConnection({ ...subject, scope: ['pay_invoice'] })
      const headers = { Authorization: `Bearer ${token}` }
      const url = `https://${DOMAIN}/umanwc/v1/payments/bolt11`
      const response = await vasp.fetch(new Request(url, { method: 'POST', headers, body: '{"invoice":"lnbcrt1"}' }))
      expect([response.status, paid()]).toEqual([500, 0])
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(logged).toHaveLength(1)
    },
  )

  it('is answered with its own refusal when it throws a WalletError', async () => {
    const refuse = () => {
      throw new WalletError('RATE_LIMITED', 'Slow down.')
    }
    const connections = { create: async () => 'created' as const, open: refuse }
    for (const [changes, options] of [
      [{ admit: refuse }, {}],
      [{ connections }, {}],
      [{}, { allows: refuse }],
    ] as const) {
      const { call, connectionToken, logged } = bankWith(changes, options)
      expect((await call({ ...PAY, token: await connectionToken() })).status).toBe(429)
      expect(logged).toEqual([])
    }
  })

  it('may take its time up to the limit, which is ten seconds unless the operator sets another', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = moment()
    const slot = { release: vi.fn() }
    let admitted = (_slot: typeof slot): void => undefined
    const admit = () =>
      new Promise<typeof slot>((resolve) => {
        admitted = resolve
        asked.reach()
      })
    const { call, connectionToken, paid } = bankWith({ admit }, { callbackTimeoutSeconds: undefined })
    const token = await connectionToken()
    const answers: number[] = []
    const answer = call({ ...PAY, token }).then(({ status }) => answers.push(status))
    await asked.reached
    await vi.advanceTimersByTimeAsync(9_999)
    expect(answers).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await answer
    expect([answers, paid()]).toEqual([[500], 0])
    // A slot that comes too late is given back.
    admitted(slot)
    await vi.advanceTimersByTimeAsync(0)
    expect(slot.release).toHaveBeenCalledOnce()
  })

  it('leaves no timer behind after its answer', async () => {
    const [started, stopped] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    const admit = () => Promise.resolve({ release: () => undefined })
    const { call, connectionToken } = bankWith({ admit }, { callbackTimeoutSeconds: undefined })
    expect((await call({ ...PAY, token: await connectionToken() })).status).toBe(200)
    /** Of the limit of ten seconds. Other code has timers of its own. */
    const timers = () => started.mock.results.filter((_, index) => started.mock.calls[index]?.[1] === 10_000)
    expect(timers().length).toBeGreaterThan(0)
    // Callbacks after the answer may still run.
    const left = () => timers().filter(({ value }) => !stopped.mock.calls.some(([timer]) => timer === value))
    await vi.waitFor(() => expect(left()).toHaveLength(0))
  })
})

describe('a function that decides about a token', () => {
  it.each(NAMES)('logins.find: only the word open lets a login create a connection, not %s', async (name) => {
    const logins = { create: async () => 'created' as const, find: mistake(name) }
    const { call, loginToken, connections, logged } = bankWith({ logins })
    const answer = await call({ ...EXCHANGE, token: await loginToken() })
    expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']])
    expect([connections.size, logged.length]).toEqual([0, 1])
  })

  it.each(NAMES)('connections.create: only the word created issues a token, not %s', async (name) => {
    const { call, loginToken, logged } = bankWith({
      connections: { create: mistake(name), open: async () => ({}) as never },
    })
    const answer = await call({ ...EXCHANGE, token: await loginToken() })
    expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']])
    expect(logged).toHaveLength(1)
  })

  it.each(NAMES)('newId: no connection is created for %s', async (name) => {
    const newId = armed(() => 'id', mistake(name))
    const { call, loginToken, connections, logged } = bankWith(
      {},
      { newId: (of: string) => (of === 'token' ? newId.call : () => 'id')() },
    )
    const token = await loginToken()
    newId.arm()
    const answer = await call({ ...EXCHANGE, token })
    expect([answer.status, Object.keys(answer.body), connections.size]).toEqual([500, ['error'], 0])
    expect(logged).toHaveLength(1)
  })
})

describe('a sign-in', () => {
  const url = `https://${DOMAIN}/login?redirect_uri=${encodeURIComponent(`${ROOT}/cb`)}`
  const sessionBinding = 'secret of this browser'

  it.each(NAMES)('sends no token when logins.create answers %s', async (name) => {
    const { vasp, logged } = bankWith({ logins: { create: mistake(name), find: async () => 'open' } })
    const { pending } = (await vasp.login.start({ method: 'GET', url }, sessionBinding)) as PendingLogin
    const user = { id: 'alice', address: `$alice@${DOMAIN}`, currencyCode: 'USD' }
    const answer = await vasp.login.finish({ method: 'POST', pending, sessionBinding, user })
    expect([answer.status, answer.headers.get('location')]).toEqual([500, null])
    expect(await answer.text()).toBe('Something went wrong on our side.')
    expect(logged).toHaveLength(1)
  })

  it.each(NAMES)('is not started, read or finished when the clock answers %s', async (name) => {
    const clock = armed(() => new Date(1_800_000_000_000), mistake(name))
    const { vasp, logins, logged } = bankWith({}, { clock: { now: clock.call } })
    const { pending } = (await vasp.login.start({ method: 'GET', url }, sessionBinding)) as PendingLogin
    clock.arm()
    const started = await vasp.login.start({ method: 'GET', url }, sessionBinding)
    const user = { id: 'alice', address: `$alice@${DOMAIN}`, currencyCode: 'USD' }
    const finished = await vasp.login.finish({ method: 'POST', pending, sessionBinding, user })
    expect([started, finished].map((answer) => answer instanceof Response && answer.status)).toEqual([500, 500])
    expect(await vasp.login.read(pending, sessionBinding)).toBe('invalid')
    expect([logins.size, logged.length]).toEqual([0, 3])
  })

  it.each(NAMES)('is not started when newId answers %s', async (name) => {
    const { vasp, logged } = bankWith({}, { newId: mistake(name) })
    const started = await vasp.login.start({ method: 'GET', url }, sessionBinding)
    expect(started instanceof Response && started.status).toBe(500)
    expect(logged).toHaveLength(1)
  })
})

describe('a function that is told something', () => {
  async function payAnd(changes: Partial<Backend>, options: Partial<Options>): Promise<{ logged: readonly object[] }> {
    const { call, connectionToken, paid, logged } = bankWith(changes, options)
    const { status, body } = await call({ ...PAY, token: await connectionToken() })
    expect([status, body.total_budget_currency_amount, paid()]).toEqual([200, 5, 1])
    return { logged }
  }
  const fails = (name: string): boolean => /thrown|rejected|Pending/.test(name)

  it.each(NAMES)('observe: changes nothing by %s', async (name) => {
    const { logged } = await payAnd({}, { observe: mistake(name) })
    await vi.waitFor(() => expect(logged).toHaveLength(fails(name) ? 1 : 0))
  })

  it.each(NAMES)('release: changes nothing by %s', async (name) => {
    const { logged } = await payAnd({ admit: () => ({ release: mistake(name) }) }, {})
    await vi.waitFor(() => expect(logged).toHaveLength(fails(name) ? 1 : 0))
  })

  it.each(NAMES)('log: changes nothing by %s', async (name) => {
    const onConsole = vi.spyOn(console, 'error').mockReturnValue()
    await payAnd({}, { observe: broken, log: { error: mistake(name) } })
    await vi.waitFor(() => expect(onConsole).toHaveBeenCalledTimes(fails(name) ? 1 : 0))
    onConsole.mockImplementation(broken)
    await payAnd({}, { observe: broken, log: { error: mistake(name) } })
    await vi.waitFor(() => expect(onConsole).toHaveBeenCalledTimes(fails(name) ? 2 : 0))
  })
})

describe('a method that pays', () => {
  const CALLS: Readonly<Record<'payInvoice' | 'payKeysend' | 'executeQuote' | 'payToAddress', TestCall>> = {
    payInvoice: PAY,
    payKeysend: { method: 'POST', path: '/payments/keysend', body: { amount: 1, pubkey: `02${HASH}` } },
    executeQuote: { method: 'POST', path: `/quote/${HASH}`, body: {} },
    payToAddress: {
      method: 'POST',
      path: '/payments/lud16',
      body: { receiver_address: '$bob@vasp.example', sending_currency_code: 'USD', sending_currency_amount: 1 },
    },
  }
  const METHODS = Object.keys(CALLS) as (keyof typeof CALLS)[]
  const FAULTY: Readonly<Record<string, unknown>> = {
    'no preimage': { totalBudgetAmount: 1n },
    'an empty preimage': { preimage: '', totalBudgetAmount: 1n },
    'a preimage of 63 digits': { preimage: PREIMAGE.slice(1), totalBudgetAmount: 1n },
    'a number as the total': { preimage: PREIMAGE, totalBudgetAmount: 5 },
    'a fraction as the total': { preimage: PREIMAGE, totalBudgetAmount: 0.5 },
    'true as the total': { preimage: PREIMAGE, totalBudgetAmount: true },
    'a total beyond 2^53': { preimage: PREIMAGE, totalBudgetAmount: 2n ** 60n },
    'no total': { preimage: PREIMAGE },
  }
  const returns = Object.fromEntries(Object.entries(FAULTY).map(([name, value]) => [name, () => value]))
  const cases = METHODS.flatMap((method) =>
    Object.keys({ ...MISTAKES, ...returns }).map((name) => [method, name] as const),
  )

  it.each(cases.filter(([, name]) => name !== 'a promise that never settles'))(
    '%s is never answered with 500 after it has begun: 504 for %s',
    async (method, name) => {
      const mistaken = vi.fn({ ...MISTAKES, ...returns }[name])
      const { call, connectionToken, logged, events } = bankWith({ [method]: mistaken })
      const { status, body } = await call({ ...CALLS[method], token: await connectionToken() })
      expect([status, body.code]).toEqual([504, 'INTERNAL'])
      expect(JSON.stringify(body)).not.toContain('hunter2')
      expect(mistaken).toHaveBeenCalledOnce()
      if (name === 'a PaymentPending') return expect(logged).toEqual([])
      expect(logged).toHaveLength(1)
      expect(events[0]?.failedCheck).toBe(/thrown|rejected/.test(name) ? 'work' : 'reply')
    },
  )

  it('payToAddress is answered with 504 when its quote cannot be expressed', async () => {
    const payToAddress = () => ({ preimage: PREIMAGE, totalBudgetAmount: 1n, quote: undefined as never })
    const { call, connectionToken } = bankWith({ payToAddress })
    expect((await call({ ...CALLS.payToAddress, token: await connectionToken() })).status).toBe(504)
  })

  it.each([0n, -1n])('reports a total of %s as 1', async (totalBudgetAmount) => {
    const { call, connectionToken } = bankWith({ executeQuote: () => ({ preimage: PREIMAGE, totalBudgetAmount }) })
    const { status, body } = await call({ ...CALLS.executeQuote, token: await connectionToken() })
    expect([status, body.total_budget_currency_amount]).toEqual([200, 1])
  })

  it('may say that nothing was paid', async () => {
    const payInvoice = () => {
      throw new WalletError('INTERNAL', 'The node refused.')
    }
    const { call, connectionToken } = bankWith({ payInvoice })
    expect((await call({ ...PAY, token: await connectionToken() })).status).toBe(500)
  })

  it('has no limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const begun = moment()
    let pay = (_paid: { preimage: string; totalBudgetAmount: bigint }): void => undefined
    const payInvoice: Backend['payInvoice'] = () =>
      new Promise((resolve) => {
        pay = resolve
        begun.reach()
      })
    const { call, connectionToken } = bankWith({ payInvoice })
    const answer = call({ ...PAY, token: await connectionToken() })
    await begun.reached
    await vi.advanceTimersByTimeAsync(3_600_000)
    pay({ preimage: PREIMAGE, totalBudgetAmount: 3n })
    expect((await answer).body).toEqual({ preimage: PREIMAGE, total_budget_currency_amount: 3 })
  })
})

describe('a request that breaks its own interface', () => {
  const url = `https://${DOMAIN}/umanwc/v1/balance`

  it.each<[string, object]>([
    ['no url', { method: 'GET', headers: new Headers(), body: null }],
    ['headers that throw', { method: 'GET', url, headers: { get: broken }, body: null }],
    ['no headers', { method: 'GET', url, body: null }],
  ])('is answered with 500 by handle and fetch: %s', async (_, request) => {
    const { vasp, logged } = bankWith({})
    expect((await vasp.handle(request as never)).status).toBe(500)
    expect((await vasp.fetch(request as never)).status).toBe(500)
    expect(logged).toHaveLength(2)
  })
})

describe('toNodeHandler', () => {
  it.each<[string, Parameters<typeof toNodeHandler>]>([
    ['a handler that rejects', [{ handle: async () => broken(), owns: () => true }]],
    ['an answer with a header that node refuses', [bankWith({}).vasp, { headers: { 'X-Bad': 'a\r\nb' } }]],
  ])('answers 500 for %s', async (_, parameters) => {
    const server = createServer(toNodeHandler(...parameters)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/umanwc/v1/balance`)
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'INTERNAL' }])
    server.close()
  })
})

describe('createUmaAuthVasp', () => {
  it.each(['observe', 'allows', 'newId', 'openApi', 'log', 'clock', 'callbackTimeoutSeconds'])(
    'refuses an option of the wrong type: %s',
    (name) => {
      for (const value of ['text', {}, null, -1])
        expect(() => createTestVasp({}, { [name]: value as never })).toThrow(new RegExp(`^${name} must `))
    },
  )
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('what a function that is told of a call cannot change', () => {
  it.each(['observe', 'admit', 'connections.open', 'a method'])('claims, by %s', async (place) => {
    const widen = (claims: TokenClaims): void => {
      for (const change of [
        () => (claims.scope as string[]).push('pay_invoice'),
        () => Object.assign(claims, { userId: 'bob' }),
      ])
        try {
          change()
        } catch {
          // Refused, as it should be.
        }
    }
    const places: Readonly<Record<string, Partial<Backend>>> = {
      observe: {},
      admit: { admit: (claims) => widen(claims) as undefined },
      'connections.open': {
        connections: {
          create: async () => 'created',
          open: async (claims) => {
            widen(claims)
            return { userId: claims.userId }
          },
        },
      },
      'a method': {
        getBalance: (_caller, _input, { claims }) => {
          widen(claims)
          return { amount: 1n, currencyCode: 'USD' }
        },
      },
    }
    const seen: unknown[] = []
    const observe: Options['observe'] = ({ claims }) => {
      seen.push(claims?.userId)
      if (place === 'observe' && claims !== undefined) widen(claims)
    }
    const { call, connectionToken, paid } = bankWith(places[place] ?? {}, { observe })
    const token = await connectionToken(['get_balance'])
    await call({ path: '/balance', token })
    const second = await call({ ...PAY, token })
    expect([second.status, paid(), new Set(seen)]).toEqual([403, 0, new Set(['alice'])])
  })

  it('headers, by trace', async () => {
    const trace: Options['trace'] = ({ headers }) => (headers as unknown as Headers).delete('authorization')
    const { call, connectionToken } = bankWith({}, { trace })
    expect((await call({ ...PAY, token: await connectionToken() })).status).toBe(200)
  })

  it('commands, by anyone', () => {
    const { vasp } = bankWith({})
    expect(() => ((vasp.commands as string[]).length = 1)).toThrow(TypeError)
  })
})

it.each<[string, unknown]>([
  ['a promise', Promise.resolve({})],
  ['nothing', undefined],
  ['false', false],
])('openApi: %s is refused at creation', (_, document) => {
  expect(() => createTestVasp({}, { openApi: () => document })).toThrow(TypeError)
})

it('refuses a body that is not UTF-8', async () => {
  const { vasp, connectionToken, paid } = bankWith({})
  const body = Buffer.concat([Buffer.from('{"invoice":"lnbcrt'), Buffer.from([0xff]), Buffer.from('"}')])
  const headers = { authorization: `Bearer ${await connectionToken()}`, 'content-type': 'application/json' }
  const request = new Request(`https://${DOMAIN}/umanwc/v1/payments/bolt11`, { method: 'POST', body, headers })
  const answer = await vasp.fetch(request)
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { code: 'OTHER', message: 'The request body is not UTF-8.' },
  ])
  expect(paid()).toBe(0)
})

it.each<[string, object]>([
  ['no hash', { paymentHash: '' }],
  ['a hash of another length', { paymentHash: 'ab'.repeat(20) }],
  ['a text as preimage', { preimage: 'later' }],
  ['a text as metadata', { metadata: 'memo' }],
  ['a list as metadata', { metadata: ['memo'] }],
])('lookupInvoice: a transaction with %s is 500', async (_, wrong) => {
  const { call, connectionToken, logged } = bankWith({
    lookupInvoice: () => ({ ...TRANSACTION, ...wrong }),
  })
  const { status } = await call({ path: `/invoices/${HASH}`, token: await connectionToken() })
  expect([status, logged.length]).toEqual([500, 1])
})
