import { describe, expect, it, vi } from 'vitest'
import {
  CALLS,
  createTestVasp,
  HASH,
  keys,
  moment,
  type Backend,
  type Context,
  type TestCall,
} from '../test/memory-bank'
import { CHECKS, type Check } from './call'
import { COMMANDS } from './commands'
import { ERROR_CODES, PaymentPending, WalletError, type ErrorCode } from './errors'

const INVOICE: TestCall = { method: 'POST', path: '/invoice', body: { amount: 1_000 } }
const UNKNOWN_HASH = '00'.repeat(32)
const BALANCE: TestCall = { path: '/balance' }

/** One fault for each check of `POST /invoice`, and the status that it causes. */
interface Fault {
  readonly status: number
  readonly backend?: Partial<Backend>
  readonly call?: Partial<TestCall>
  readonly scope?: readonly string[]
}

const FAULTS: Readonly<Record<Check, Fault>> = {
  route: { status: 404, call: { path: '/invoices' } },
  bearer: { status: 401, call: { token: 'a.b.c' } },
  'rate limit': {
    status: 429,
    backend: {
      admit: () => {
        throw new WalletError('RATE_LIMITED', 'Too many requests.')
      },
    },
  },
  account: {
    status: 401,
    backend: { connections: { create: async () => 'created', open: async () => undefined } },
  },
  command: { status: 501, backend: { makeInvoice: undefined } },
  scope: { status: 403, scope: ['get_balance'] },
  input: { status: 400, call: { body: { amount: 0 } } },
  work: {
    status: 504,
    backend: {
      makeInvoice: () => {
        throw new PaymentPending()
      },
    },
  },
  reply: { status: 500, backend: { makeInvoice: () => ({ amountMsats: 1n }) as never } },
}

/** Sends `POST /invoice` with these faults. If two change the same thing, the first one applies. */
async function callWith(...checks: readonly Check[]) {
  const faults = checks.map((check) => FAULTS[check]).toReversed()
  const bank = createTestVasp(Object.assign({}, ...faults.map(({ backend }) => backend)) as Partial<Backend>)
  const scope = faults.find((fault) => fault.scope !== undefined)?.scope ?? ['make_invoice']
  const token = await bank.connectionToken(scope)
  const answer = await bank.call(Object.assign({ ...INVOICE, token }, ...faults.map(({ call }) => call)) as TestCall)
  return { ...bank, answer, event: bank.events[0] }
}

describe('the order of the checks', () => {
  const pairs = CHECKS.flatMap((first, index) => CHECKS.slice(index + 1).map((second) => [first, second] as const))

  it.each([...CHECKS.map((check) => [check, check] as const), ...pairs])(
    'refuses at %s when %s fails too',
    async (first, second) => {
      const { answer, event, trace } = await callWith(first, second)
      expect(event).toMatchObject({ failedCheck: first, status: FAULTS[first].status })
      expect(answer.status).toBe(FAULTS[first].status)
      const passed = (check: Check): boolean => CHECKS.indexOf(first) > CHECKS.indexOf(check)
      expect(answer.bodyWasRead).toBe(first === 'input' || passed('input'))
      expect(trace).toEqual([
        ...(passed('bearer') ? ['admit'] : []),
        ...(passed('rate limit') ? ['connections.open'] : []),
        ...(passed('input') ? ['makeInvoice'] : []),
        ...(passed('rate limit') ? ['release'] : []),
      ])
    },
  )

  it('answers 200 without a fault', async () => {
    const { answer, event } = await callWith()
    expect(answer.status).toBe(200)
    expect(event?.failedCheck).toBeUndefined()
  })

  it('refuses a caller outside the allowed networks before the route', async () => {
    const { call, events, trace } = createTestVasp({}, { allows: () => false })
    expect(await call({ path: '/nowhere' })).toMatchObject({ status: 403, body: { code: 'RESTRICTED' } })
    expect(events[0]?.failedCheck).toBe('route')
    expect(trace).toEqual([])
  })

  it('answers 405 with the allowed method, before the token is read', async () => {
    const { call } = createTestVasp()
    const { status, headers } = await call({ method: 'DELETE', path: '/balance' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET'])
  })
})

describe('the bearer token', () => {
  it.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer' }],
  ])('answers 401 for %s', async (_, headers) => {
    const { call, trace } = createTestVasp()
    const answer = await call({ ...BALANCE, headers })
    expect(answer).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' },
    })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(trace).toEqual([])
  })

  it.each(['Bearer  ', 'bearer   ', 'BEARER ', `Bearer${' '.repeat(40)}`])(
    'is accepted after "%s" (RFC 9110: one or more blanks)',
    async (scheme) => {
      const { call, connectionToken } = createTestVasp()
      const authorization = `${scheme}${await connectionToken()}`
      expect((await call({ ...BALANCE, headers: { authorization } })).status).toBe(200)
    },
  )

  it.each<[string, (token: string) => string]>([
    ['two headers', (token) => `Bearer ${token}, Bearer ${token}`],
    ['another scheme', (token) => `Basic ${token}`],
    ['no scheme', (token) => token],
    ['a text after the token', (token) => `Bearer ${token} x`],
  ])('answers 401 for a valid token with %s', async (_, headerOf) => {
    const { call, connectionToken } = createTestVasp()
    const token = await connectionToken()
    expect((await call({ ...BALANCE, headers: { authorization: headerOf(token) } })).status).toBe(401)
    expect((await call({ ...BALANCE, token })).status).toBe(200)
  })

  it('answers 500 without a verification key, and 401 to a caller without a token', async () => {
    const { call } = createTestVasp({}, { keys: { signing: keys.signing, verification: [] } })
    const message = 'JWT public key not configured'
    expect(await call({ ...BALANCE, token: 'a.b.c' })).toMatchObject({ status: 500, body: { error: message, message } })
    expect((await call(BALANCE)).status).toBe(401)
    const exchange = { method: 'POST', path: '/token' }
    expect(await call({ ...exchange, token: 'a.b.c' })).toMatchObject({ status: 500, body: { error: message } })
    expect((await call(exchange)).body).toEqual({ error: 'Unauthorized' })
  })

  it('accepts a login token at /info and no other command', async () => {
    const { call, loginToken } = createTestVasp()
    const token = await loginToken()
    for (const { name, method, path } of COMMANDS) {
      const filled = path.replace('{payment_hash}', HASH).replace('{receiver_address}', '$bob@vasp.example')
      expect((await call({ method, path: filled, token })).status).toBe(name === 'get_info' ? 200 : 401)
    }
  })
})

describe('the slot', () => {
  const fail = (): never => {
    throw new Error('broken')
  }

  it('is held until the work ends, and released once', async () => {
    const [begun, finished] = [moment(), moment()]
    const { call, connectionToken, trace } = createTestVasp({
      getBalance: async () => {
        begun.reach()
        await finished.reached
        return { amount: 1n, currencyCode: undefined }
      },
    })
    const answer = call({ ...BALANCE, token: await connectionToken() })
    await begun.reached
    expect(trace).toEqual(['admit', 'connections.open', 'getBalance'])
    finished.reach()
    expect((await answer).body).toEqual({ balance: 1 })
    expect(trace).toEqual(['admit', 'connections.open', 'getBalance', 'release'])
  })

  it.each<[string, Partial<Backend>]>([
    ['the method throws', { getBalance: fail }],
    ['the method rejects', { getBalance: async () => fail() }],
    ['loading the account throws', { connections: { create: fail, open: fail } }],
    ['the reply does not fit', { getBalance: () => ({ amount: 2n ** 53n, currencyCode: undefined }) }],
  ])('is released once when %s', async (_, changes) => {
    const { call, connectionToken, trace } = createTestVasp(changes)
    expect((await call({ ...BALANCE, token: await connectionToken() })).status).toBe(500)
    expect(trace.filter((name) => name === 'release')).toHaveLength(1)
    expect(trace.at(-1)).toBe('release')
  })

  it('reaches the method, which may release it before it waits for another party', async () => {
    let seen: readonly string[] = []
    const bank = createTestVasp({
      payInvoice: (_caller, _input, { slot }: Context) => {
        slot.release()
        seen = [...bank.trace]
        return { preimage: HASH, totalBudgetAmount: 1n }
      },
    })
    const body = { invoice: 'lnbcrt1' }
    const token = await bank.connectionToken()
    expect((await bank.call({ method: 'POST', path: '/payments/bolt11', token, body })).status).toBe(200)
    expect(seen.at(-1)).toBe('release')
  })

  it('is optional: without admit, every call is admitted', async () => {
    const { call, connectionToken, trace } = createTestVasp({ admit: undefined })
    expect((await call({ ...BALANCE, token: await connectionToken() })).status).toBe(200)
    expect(trace).toEqual(['connections.open', 'getBalance'])
  })
})

describe('observe', () => {
  it('receives the route template, the status and the claims of a call', async () => {
    const { call, connectionToken, events } = createTestVasp()
    const token = await connectionToken(['lookup_invoice'])
    await call({ path: `/invoices/${HASH}?x=1`, token })
    expect(events).toEqual([
      {
        requestId: expect.stringMatching(/^id-/) as string,
        route: 'GET /invoices/{payment_hash}',
        method: 'GET',
        path: `/umanwc/v1/invoices/${HASH}`,
        query: 'x=1',
        requestText: undefined,
        responseText: expect.stringContaining(HASH) as string,
        responseBody: JSON.parse(events[0]?.responseText ?? '') as unknown,
        status: 200,
        durationMs: expect.any(Number) as number,
        claims: expect.objectContaining({ use: 'connection', userId: 'alice', scope: ['lookup_invoice'] }) as object,
        failedCheck: undefined,
        bearerFault: undefined,
        connectionId: undefined,
      },
    ])
  })

  it('receives the reason for a refused token, and the response says only Unauthorized', async () => {
    const { call, loginToken, events } = createTestVasp()
    const answers = [
      await call(BALANCE),
      await call({ ...BALANCE, token: 'abc' }),
      await call({ ...BALANCE, token: await loginToken() }),
    ]
    expect(events.map(({ bearerFault }) => bearerFault)).toEqual(['missing', 'malformed', 'kind'])
    for (const { status, body } of answers)
      expect([status, body]).toEqual([401, { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' }])
  })

  it.each([
    ['GET', '/nowhere', 'unknown'],
    ['PUT', '/balance', 'unknown'],
    ['GET', '/token', 'POST /token'],
    ['POST', '/token', 'POST /token'],
    ['POST', `/quote/${HASH}`, 'POST /quote/{payment_hash}'],
  ])('labels %s %s as %s', async (method, path, route) => {
    const { call, events } = createTestVasp()
    await call({ method, path })
    expect(events).toMatchObject([{ route, claims: undefined }])
  })

  it('does not change the response when it throws', async () => {
    const observe = vi.fn(() => {
      throw new Error('metrics are down')
    })
    const { call, connectionToken, logged } = createTestVasp({}, { observe })
    const { status, body, headers } = await call({ ...BALANCE, token: await connectionToken() })
    expect([status, body.balance]).toEqual([200, 12_345])
    expect(observe).toHaveBeenCalledOnce()
    expect(logged).toMatchObject([{ fields: { requestId: headers.get('x-request-id') }, message: 'observe failed' }])
  })
})

describe('errors from the backend', () => {
  const balanceThat = (error: unknown) =>
    createTestVasp({
      getBalance: () => {
        throw error
      },
    })
  async function answerTo(error: unknown) {
    const bank = balanceThat(error)
    const answer = await bank.call({ ...BALANCE, token: await bank.connectionToken() })
    return { ...bank, ...answer }
  }

  const STATUSES: Readonly<Record<ErrorCode, number>> = {
    RATE_LIMITED: 429,
    NOT_IMPLEMENTED: 501,
    INSUFFICIENT_BALANCE: 400,
    PAYMENT_FAILED: 400,
    NOT_FOUND: 404,
    QUOTA_EXCEEDED: 400,
    RESTRICTED: 403,
    UNAUTHORIZED: 401,
    INTERNAL: 500,
    OTHER: 400,
  }

  it.each(ERROR_CODES)('sends WalletError %s with its status and text', async (code) => {
    const { status, body, headers, logged } = await answerTo(new WalletError(code, 'No.'))
    const error = code === 'UNAUTHORIZED' ? { error: 'No.' } : {}
    expect([status, body]).toEqual([STATUSES[code], { ...error, code, message: 'No.' }])
    expect(headers.get('retry-after')).toBeNull()
    expect(logged).toEqual([])
  })

  it.each([
    ['INTERNAL', 503],
    ['PAYMENT_FAILED', 503],
    ['RATE_LIMITED', 429],
    ['QUOTA_EXCEEDED', 400],
  ] as const)('sends Retry-After with %s and status %d', async (code, status) => {
    const answer = await answerTo(new WalletError(code, 'Later.', { retryAfterSeconds: 7 }))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, '7'])
    expect(answer.body).toEqual({ code, message: 'Later.' })
  })

  it('answers 504 for a pending payment, and logs nothing', async () => {
    const { status, body, logged } = await answerTo(new PaymentPending('Still pending.'))
    expect([status, body]).toEqual([504, { code: 'INTERNAL', message: 'Still pending.' }])
    expect(logged).toEqual([])
  })

  it.each([new Error('password=hunter2'), 'password=hunter2', undefined, { status: 200, message: 'hunter2' }])(
    'answers 500 for %j without its text, and logs it with the request id',
    async (thrown) => {
      const { status, body, headers, logged } = await answerTo(thrown)
      expect(status).toBe(500)
      expect(body.code).toBe('INTERNAL')
      expect(JSON.stringify(body)).not.toContain('hunter2')
      const requestId = headers.get('x-request-id')
      const err = thrown ?? (expect.any(Error) as Error)
      expect(logged).toEqual([{ fields: { requestId, err }, message: 'request failed' }])
    },
  )

  it('logs the cause of a 500 and of a 503, but not of a 400', async () => {
    const cause = new Error('node is down')
    expect((await answerTo(new WalletError('INTERNAL', 'x', { cause }))).logged).toMatchObject([
      { fields: { err: cause } },
    ])
    expect(
      (await answerTo(new WalletError('PAYMENT_FAILED', 'x', { cause, retryAfterSeconds: 1 }))).logged,
    ).toHaveLength(1)
    expect((await answerTo(new WalletError('PAYMENT_FAILED', 'x', { cause }))).logged).toEqual([])
  })

  it('recognizes the errors of another copy of the package by their name', async () => {
    const copy = Object.assign(new Error('Not enough money.'), { name: 'WalletError', code: 'INSUFFICIENT_BALANCE' })
    expect(await answerTo(copy)).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
  })
})

describe('a reply that the API cannot express', () => {
  it.each<[string, Partial<Backend>]>([
    ['a number', { getBalance: () => ({ amount: 1 as never, currencyCode: undefined }) }],
    ['an integer beyond 2^53', { getBalance: () => ({ amount: 2n ** 53n, currencyCode: undefined }) }],
    ['an unknown currency', { getBalance: () => ({ amount: 1n, currencyCode: 'EUR' as 'USD' }) }],
    ['nothing', { getBalance: () => undefined as never }],
  ])('is answered with 500 and logged: %s', async (_, changes) => {
    const { call, connectionToken, logged } = createTestVasp(changes)
    const { status, body, headers } = await call({ ...BALANCE, token: await connectionToken() })
    expect([status, body.code]).toEqual([500, 'INTERNAL'])
    expect(logged).toMatchObject([
      {
        fields: { requestId: headers.get('x-request-id'), err: expect.any(Error) as Error },
        message: 'request failed',
      },
    ])
  })
})

describe('input', () => {
  const post = async (body: unknown, headers: Record<string, string> = {}, path = '/payments/keysend') => {
    const payKeysend = vi.fn<NonNullable<Backend['payKeysend']>>(() => ({ preimage: HASH, totalBudgetAmount: 1n }))
    const { call, connectionToken } = createTestVasp({ payKeysend })
    return { ...(await call({ method: 'POST', path, token: await connectionToken(), body, headers })), payKeysend }
  }
  const KEYSEND = { amount: 1_000, pubkey: `02${'AB'.repeat(32)}` }

  it('reaches the method parsed, with defaults, together with the caller and the context', async () => {
    const { status, payKeysend } = await post(KEYSEND, { 'idempotency-key': 'order-7' })
    expect(status).toBe(200)
    expect(payKeysend).toHaveBeenCalledWith(
      { userId: 'alice' },
      {
        amountMsats: 1_000n,
        pubkey: `02${'ab'.repeat(32)}`,
        preimage: undefined,
        records: [],
        budgetCurrencyCode: 'SAT',
      },
      expect.objectContaining({ idempotencyKey: 'order-7' }),
    )
  })

  const PREIMAGE = 'Ab'.repeat(32)
  const RECORD = { type: 5_482_373_484, value: PREIMAGE }
  it.each([
    ['the record alone', { tlv_records: [RECORD] }],
    ['the record and an empty member', { preimage: '', tlv_records: [RECORD] }],
    ['the record and null', { preimage: null, tlv_records: [{ type: 65_536, value: '00' }, RECORD] }],
    ['both', { preimage: PREIMAGE.toLowerCase(), tlv_records: [RECORD] }],
    ['its member alone', { preimage: PREIMAGE }],
  ])('takes the preimage of a keysend from %s', async (_, members) => {
    const { status, payKeysend } = await post({ ...KEYSEND, ...members })
    expect(status).toBe(200)
    const input = payKeysend.mock.calls[0]?.[1]
    expect(input?.preimage).toBe(PREIMAGE.toLowerCase())
    expect(input?.records.map(({ type }) => type)).not.toContain(RECORD.type)
  })

  it.each([
    ['of another preimage', { preimage: 'cd'.repeat(32), tlv_records: [RECORD] }],
    ['of 31 bytes', { tlv_records: [{ ...RECORD, value: 'ab'.repeat(31) }] }],
    ['without a value', { tlv_records: [{ ...RECORD, value: '' }] }],
    ['that is given twice', { tlv_records: [RECORD, RECORD] }],
  ])('refuses a preimage record %s', async (_, members) => {
    const { status, body } = await post({ ...KEYSEND, ...members })
    expect([status, body.message]).toEqual([400, 'tlv_records is missing or not valid.'])
  })

  it.each([null, '', undefined])('counts an optional member that is %j as absent', async (unset) => {
    const body = { ...KEYSEND, preimage: unset, tlv_records: unset, budget_currency_code: unset }
    const { status, payKeysend } = await post(body)
    expect(status).toBe(200)
    expect(payKeysend.mock.calls[0]?.[1]).toMatchObject({ preimage: undefined, records: [], budgetCurrencyCode: 'SAT' })
  })

  it.each([null, '', undefined])('names a required member that is %j as missing', async (unset) => {
    const { status, body } = await post({ ...KEYSEND, pubkey: unset })
    expect([status, body]).toEqual([400, { code: 'OTHER', message: 'pubkey is missing or not valid.' }])
  })

  it.each([0, false, []])('refuses a member that is %j, which is a value', async (value) => {
    const { status } = await post({ ...KEYSEND, budget_currency_code: value })
    expect(status).toBe(400)
  })

  it.each([
    ['amount', { amount: 0 }],
    ['amount', { amount: -1 }],
    ['amount', { amount: 1.5 }],
    ['amount', { amount: '1' }],
    ['amount', { amount: 2 ** 53 }],
    ['pubkey', { pubkey: 7 }],
    ['pubkey', { pubkey: ['02'] }],
    ['preimage', { preimage: 'ab' }],
    ['tlv_records', { tlv_records: {} }],
    ['tlv_records.0.type', { tlv_records: [{ type: 1, value: '' }] }],
    ['tlv_records.0', { tlv_records: [null] }],
    ['budget_currency_code', { budget_currency_code: 'XYZ' }],
  ])('is refused in our own words that name the field %s: %j', async (field, part) => {
    const { status, body } = await post({ ...KEYSEND, ...part })
    expect([status, body]).toEqual([400, { code: 'OTHER', message: `${field} is missing or not valid.` }])
  })

  it.each([
    ['a body that is not JSON', '{', {}, 'The request body is not JSON.'],
    ['an empty body', '', {}, 'The request body is not JSON.'],
    ['a missing field', { amount: 1 }, {}, 'pubkey is missing or not valid.'],
    [
      'a space in the key',
      KEYSEND,
      { 'idempotency-key': 'a b' },
      'Idempotency-Key must be 1 to 200 printable characters without spaces.',
    ],
  ] as const)('answers 400 for %s', async (_, body, headers, message) => {
    const { status, body: answer, payKeysend } = await post(body, headers)
    expect([status, answer]).toEqual([400, { code: 'OTHER', message }])
    expect(payKeysend).not.toHaveBeenCalled()
  })

  it('answers 413 above 64 kB, with and without Content-Length', async () => {
    const large = JSON.stringify({ ...KEYSEND, padding: 'x'.repeat(65 * 1024) })
    expect((await post(large)).status).toBe(413)
    const announced = await post(KEYSEND, { 'content-length': String(64 * 1024 + 1) })
    expect([announced.status, announced.bodyWasRead]).toEqual([413, false])
  })

  it('answers 400 for a query parameter that is given twice', async () => {
    const { call, connectionToken } = createTestVasp()
    const token = await connectionToken()
    const { status, body } = await call({ path: '/balance?currency_code=USD&currency_code=SAT', token })
    expect([status, body.message]).toEqual([400, 'currency_code is given more than once.'])
  })

  it('answers 404 for a hash that matches none of the user’s transactions', async () => {
    const { call, connectionToken } = createTestVasp()
    const answer = await call({ path: `/invoices/${UNKNOWN_HASH}`, token: await connectionToken() })
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})

describe('every command of a complete backend', () => {
  it.each(COMMANDS)('answers $name with the backend method $backendMethod', async ({ name, backendMethod }) => {
    const { call, connectionToken, trace } = createTestVasp()
    const answer = await call({ ...CALLS[name], token: await connectionToken([name]) })
    expect([answer.status, answer.body]).toEqual([200, expect.any(Object)])
    expect(trace).toEqual(['admit', 'connections.open', backendMethod, 'release'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})
