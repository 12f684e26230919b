import { describe, expect, it, vi } from 'vitest'
import { createTestVasp, moment, ROOT, type Options, type TestCall } from '../test/memory-bank'
import type { CallEnd, CallStart, Trace } from './index'
import { originForLog } from './redirect-uri'

const sessionBinding = 'secret of this browser'
const user = { id: 'alice', address: '$alice@bank.example', currencyCode: 'USD' }
const loginUrl = (redirectUri: string): string => `/login?redirect_uri=${encodeURIComponent(redirectUri)}`

/** A VASP whose spans are recorded: `end` is undefined as long as the call runs. */
function traced(changes: Parameters<typeof createTestVasp>[0] = {}, options: Partial<Options> = {}) {
  const spans: { readonly start: CallStart; end?: CallEnd }[] = []
  const trace: Trace = (start) => {
    const span: (typeof spans)[number] = { start }
    spans.push(span)
    return (end) => void (span.end = end)
  }
  const bank = createTestVasp(changes, { trace, ...options })
  const summary = () => spans.map(({ start, end }) => [start.method, start.route, end?.status, end?.failedCheck])
  return { ...bank, spans, summary }
}

async function pendingOf({ login }: ReturnType<typeof traced>['vasp']): Promise<string> {
  const started = await login.start({ method: 'GET', url: loginUrl(`${ROOT}/cb`) }, sessionBinding)
  if (started instanceof Response) throw new Error('the login was refused')
  return started.pending
}

describe('trace', () => {
  it('reports the start of a call before the backend is asked, and its end once', async () => {
    const [begun, go] = [moment(), moment()]
    const getBalance = async () => {
      begun.reach()
      await go.reached
      return { amount: 1n, currencyCode: 'USD' } as const
    }
    const { call, connectionToken, spans, events } = traced({ getBalance })
    const headers = { traceparent: '00-a-b-01' }
    const answer = call({ path: '/balance?currency_code=USD', token: await connectionToken(), headers })
    await begun.reached
    expect(spans).toHaveLength(1)
    const [span] = spans
    expect(span).toMatchObject({
      start: { route: 'GET /balance', method: 'GET', path: '/umanwc/v1/balance', query: 'currency_code=USD' },
    })
    expect(span?.start.headers?.get('traceparent')).toBe('00-a-b-01')
    expect(span?.end).toBeUndefined()
    go.reach()
    expect((await answer).headers.get('x-request-id')).toBe(span?.start.requestId)
    expect(span?.end).toEqual({ status: 200, failedCheck: undefined, durationMs: expect.any(Number) as number })
    expect([spans.length, events.length]).toEqual([1, 1])
  })

  it('reports refused calls, the exchange, unknown paths and documents', async () => {
    const { vasp, call, summary, loginToken, connectionToken } = traced({}, { openApi: () => ({}) })
    await call({ path: '/balance' })
    await call({ path: '/balance', token: await connectionToken(['get_info']) })
    await call({ method: 'POST', path: '/token', token: await loginToken(), body: { permissions: [] } })
    await call({ path: '/nowhere' })
    await vasp.fetch(new Request('https://bank.example/.well-known/uma-configuration'))
    await vasp.fetch(new Request('https://bank.example/.well-known/uma-configuration', { method: 'DELETE' }))
    await vasp.fetch(new Request('https://bank.example/openapi.json', { method: 'HEAD' }))
    expect(summary()).toEqual([
      ['GET', 'GET /balance', 401, 'bearer'],
      ['GET', 'GET /balance', 403, 'scope'],
      ['POST', 'POST /token', 400, 'input'],
      ['GET', 'unknown', 404, 'route'],
      ['GET', 'discovery', 200, undefined],
      ['DELETE', 'discovery', 405, 'route'],
      ['HEAD', 'openapi', 200, undefined],
    ])
  })

  it('reports a login, and why one is refused', async () => {
    const { vasp, summary, spans, clock } = traced()
    const { login } = vasp
    const finish = (pending: string, binding = sessionBinding, method = 'POST') =>
      login.finish({ method, pending, sessionBinding: binding, user })
    const pending = await pendingOf(vasp)
    await finish(pending)
    await finish(pending)
    await finish(pending, 'secret of another browser')
    await finish(pending, sessionBinding, 'PUT')
    clock.nowMs += 700_000
    await finish(pending)
    await login.start({ method: 'HEAD', url: loginUrl(ROOT) }, sessionBinding)
    await login.start({ method: 'GET', url: loginUrl('https://evil.example/?code=1') }, sessionBinding)
    await login.start({ method: 'GET', url: '/login' }, sessionBinding)
    expect(summary()).toEqual([
      ['GET', 'login.start', 200, undefined],
      ['POST', 'login.finish', 303, undefined],
      ['POST', 'login.finish', 400, 'used'],
      ['POST', 'login.finish', 400, 'pending'],
      ['PUT', 'login.finish', 405, 'method'],
      ['POST', 'login.finish', 400, 'expired'],
      ['HEAD', 'login.start', 405, 'method'],
      ['GET', 'login.start', 400, 'redirect_uri'],
      ['GET', 'login.start', 400, 'redirect_uri'],
    ])
    const refused = spans.at(-2)?.start
    expect(refused?.path).toBe('/login')
    expect(originForLog(new URLSearchParams(refused?.query).get('redirect_uri'))).toBe('https://evil.example')
  })

  it('reports a login that fails, and one that is called wrongly', async () => {
    const create = () => Promise.reject(new Error('the database is away'))
    const bank = traced({ logins: { create, find: async () => 'open' } })
    const pending = await pendingOf(bank.vasp)
    await bank.vasp.login.finish({ method: 'POST', pending, sessionBinding, user })
    const nobody = { ...user, id: '' }
    await expect(bank.vasp.login.finish({ method: 'POST', pending, sessionBinding, user: nobody })).rejects.toThrow(
      TypeError,
    )
    expect(bank.summary().slice(1)).toEqual([
      ['POST', 'login.finish', 500, 'failed'],
      ['POST', 'login.finish', 500, 'failed'],
    ])
  })

  const fail = (): never => {
    throw new Error('the tracer is away')
  }
  const never = new Promise<never>(() => undefined)
  it.each<[string, unknown, number]>([
    ['nothing', () => undefined, 0],
    ['null', () => null, 0],
    ['a text', () => 'span', 0],
    ['an object', () => ({ end: fail }), 0],
    ['a thrown error', fail, 1],
    ['a rejected promise', () => Promise.reject(new Error('away')), 1],
    ['a promise that never settles', () => never, 0],
    ['a function that throws', () => fail, 1],
    ['a function that rejects', () => () => Promise.reject(new Error('away')), 1],
    ['a function that never settles', () => () => never, 0],
  ])('changes no answer when it answers %s', async (_, trace, faults) => {
    const { vasp, call, connectionToken, logged } = createTestVasp({}, { trace: trace as Trace })
    const pay: TestCall = { method: 'POST', path: '/payments/bolt11', body: { invoice: 'lnbcrt1' } }
    expect((await call({ ...pay, token: await connectionToken() })).status).toBe(200)
    await vi.waitFor(() => expect(logged).toHaveLength(faults))
    const document = await vasp.fetch(new Request('https://bank.example/.well-known/uma-configuration'))
    expect(document.status).toBe(200)
    const pending = await pendingOf(vasp)
    expect((await vasp.login.finish({ method: 'POST', pending, sessionBinding, user })).status).toBe(303)
    await vi.waitFor(() => expect(logged).toHaveLength(faults * 4))
  })

  it('must be a function', () => {
    expect(() => createTestVasp({}, { trace: {} as never })).toThrow(/^trace must be a function/)
  })
})
