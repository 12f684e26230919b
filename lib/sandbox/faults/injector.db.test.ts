import { ERROR_CODES, STATUS_OF_CODE } from 'uma-auth-vasp'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import type { NewEvent } from '@/lib/events/types'
import { expireConnection, expireQuotes, listFaults, stopFault } from '@/lib/sandbox/faults/service'
import { FAULT_KINDS, type Fault } from '@/lib/sandbox/faults/types'
import { describeOnBothEngines } from '@/test/databases/databases'
import { injectFault, withFaultInjector } from '@/test/vasp/faults'
import { booksOf, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, withParts, type TestVasp } from '@/test/vasp/vasp'
import { createFaultInjector } from './injector'

const BASE = 'http://localhost:3000/umanwc/v1'

/** The delays in milliseconds that faults asked for. They end when `over` does. */
const delays = vi.hoisted(() => ({ asked: [] as number[], over: Promise.resolve() }))
vi.mock(import('node:timers/promises'), async (original) => {
  const real = await original()
  const setTimeout: typeof real.setTimeout = async (ms, value, options) => {
    const { signal } = options ?? {}
    if (signal === undefined) return real.setTimeout(ms, value, options)
    delays.asked.push(ms ?? 0)
    // Like the real one, it refuses at once when the process has already stopped.
    signal.throwIfAborted()
    const stopped = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('stopped'))),
    )
    await Promise.race([delays.over, stopped])
    return value as never
  }
  return { ...real, setTimeout }
})

/** Delays last until the returned function is called. */
function holdDelays(): () => void {
  let end = (): void => {}
  delays.over = new Promise((resolve) => (end = resolve))
  return end
}

describeOnBothEngines('Injected faults', (db) => {
  let plain: TestVasp
  let vasp: TestVasp
  let recorded: NewEvent[] = []
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    plain = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    const events = {
      record: (event: NewEvent) => void recorded.push(event),
      droppedCount: () => 0,
      flush: async () => {},
      close: async () => {},
    }
    vasp = withParts(plain, { faults: createFaultInjector(plain.app), events })
  })

  beforeEach(() => {
    delays.asked.length = 0
    delays.over = Promise.resolve()
  })

  const rawInfo = async (token: string, of = vasp): Promise<{ status: number; headers: Headers; text: string }> => {
    const response = await of.api(new Request(`${BASE}/info`, { headers: { Authorization: `Bearer ${token}` } }))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const active = (token: string, username = 'alice'): Promise<Fault[]> => listFaults(db(), username, idOf(token))

  it.each(ERROR_CODES)('%s answers one call with the API’s error body, and the next call works', async (kind) => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind })
    const first = await vasp.get('/info', token)
    expect([first.status, first.body.code, first.headers.get('x-sandbox-fault')]).toEqual([
      STATUS_OF_CODE[kind],
      kind,
      kind,
    ])
    expect(first.headers.get('content-type')).toBe('application/json')
    const next = await vasp.get('/info', token)
    expect([next.status, next.headers.get('x-sandbox-fault')]).toEqual([200, null])
    expect(await active(token)).toEqual([])
  })

  it('every error code is a fault, and UNAUTHORIZED has the body of a refused token', async () => {
    expect(FAULT_KINDS).toEqual(expect.arrayContaining([...ERROR_CODES]))
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'UNAUTHORIZED' })
    expect((await vasp.get('/info', token)).body).toEqual({
      error: 'Unauthorized',
      code: 'UNAUTHORIZED',
      message: 'Unauthorized',
    })
  })

  it('http_429 has Retry-After with the seconds of the fault', async () => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'http_429', seconds: 7, calls: 2 })
    for (let call = 0; call < 2; call += 1) {
      const answer = await vasp.get('/info', token)
      expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '7'])
    }
    expect((await vasp.get('/info', token)).status).toBe(200)
  })

  it.each([
    ['http_500', 500],
    ['http_501', 501],
  ] as const)('%s has a body that is not JSON', async (kind, status) => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind })
    const answer = await rawInfo(token)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(() => JSON.parse(answer.text) as unknown).toThrow(SyntaxError)
  })

  it.each(['before', 'after'] as const)('invalid_json answers 200 with half a response (%s)', async (stage) => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'invalid_json', stage })
    const answer = await rawInfo(token)
    expect([answer.status, answer.headers.get('x-sandbox-fault')]).toEqual([200, 'invalid_json'])
    expect(answer.text.startsWith('{')).toBe(true)
    expect(() => JSON.parse(answer.text) as unknown).toThrow(SyntaxError)
  })

  it('closed_socket breaks the response behind Next', async () => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'closed_socket' })
    const headers = { Authorization: `Bearer ${token}` }
    const response = await vasp.auth.fetch(new Request(`${BASE}/info`, { headers }))
    await expect(response.text()).rejects.toThrow('closed by a fault')
    expect((await vasp.auth.fetch(new Request(`${BASE}/info`, { headers }))).status).toBe(200)
  })

  it.each(['before', 'after'] as const)('delay answers late, but with the real response (%s)', async (stage) => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'delay', seconds: 1, stage })
    const end = holdDelays()
    const answered: string[] = []
    const late = vasp.get('/info', token).finally(() => answered.push('delayed'))
    await expect.poll(() => delays.asked).toEqual([1_000])
    await vasp.get('/info', token).finally(() => answered.push('next'))
    end()
    const answer = await late
    expect(answered).toEqual(['next', 'delayed'])
    expect([answer.status, answer.headers.get('x-sandbox-fault')]).toEqual([200, 'delay'])
  })

  it('delayed calls hold no slot of their user, and more than 20 of one connection are refused', async () => {
    const [slow, other] = [await vasp.connectionToken('bob'), await vasp.connectionToken('bob')]
    await injectFault(vasp, slow, { kind: 'delay', seconds: 2, calls: 22 })
    const end = holdDelays()
    const statuses: number[] = []
    const delayed = Array.from({ length: 22 }, async () => statuses.push((await vasp.get('/info', slow)).status))
    // A call that arrives after the delays have ended finds room.
    await expect.poll(() => statuses).toEqual([429, 429])
    expect(delays.asked).toHaveLength(20)
    expect((await vasp.get('/info', other)).status).toBe(200)
    end()
    await Promise.all(delayed)
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  })

  it('a delayed call does no work when its connection ends during the delay', async () => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'delay', seconds: 2 })
    const end = holdDelays()
    const delayed = vasp.get('/info', token)
    await expect.poll(() => delays.asked).toEqual([2_000])
    await expireConnection(vasp.app, 'alice', idOf(token))
    end()
    expect((await delayed).status).toBe(401)
  })

  it('delays end when the process stops: work that has not begun is refused', async () => {
    const faults = createFaultInjector(plain.app)
    const stopping = withParts(plain, { faults })
    const token = await stopping.connectionToken('bob')
    await injectFault(stopping, token, { kind: 'delay', seconds: 60 })
    holdDelays()
    const answer = stopping.get('/info', token)
    await expect.poll(async () => (await active(token, 'bob')).length).toBe(0)
    faults.close()
    expect((await answer).status).toBe(503)
  })

  it.each([1, 3])('a fault for %i calls applies to exactly that many concurrent calls', async (calls) => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'OTHER', calls })
    const second = withFaultInjector(plain)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? vasp : second).get('/info', token)),
    )
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(calls)
  })

  it('the oldest fault applies first, and concurrent calls take all faults', async () => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'NOT_FOUND' })
    await injectFault(vasp, token, { kind: 'RESTRICTED', calls: 2 })
    expect((await vasp.get('/info', token)).status).toBe(404)
    await injectFault(vasp, token, { kind: 'INTERNAL' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => vasp.get('/info', token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 403, 403, 500])
  })

  it('a fault that is added while the last one is taken stays active', async () => {
    const token = await vasp.connectionToken('alice')
    for (let round = 0; round < 10; round += 1) {
      await injectFault(vasp, token, { kind: 'OTHER' })
      await Promise.all([vasp.get('/info', token), injectFault(vasp, token, { kind: 'NOT_FOUND' })])
      const left = await active(token)
      for (const fault of left) expect((await vasp.get('/info', token)).headers.get('x-sandbox-fault')).toBe(fault.kind)
    }
  })

  it('a fault applies only to its own connection, and not to a call that fails a check', async () => {
    const [token, other] = [
      await vasp.connectionToken('alice', ['get_info', 'make_invoice']),
      await vasp.connectionToken('alice'),
    ]
    await injectFault(vasp, token, { kind: 'INTERNAL', calls: 1 })
    expect((await vasp.get('/info', other)).status).toBe(200)
    expect((await vasp.get('/info', `${token.slice(0, -8)}AAAAAAAA`)).status).toBe(401)
    expect((await vasp.get('/balance', token)).status).toBe(403)
    expect((await vasp.post('/invoice', token, { amount: -1 })).status).toBe(400)
    expect((await active(token)).map(({ callsLeft }) => callsLeft)).toEqual([1])
    expect((await vasp.get('/info', token)).status).toBe(500)
  })

  it('a fault never replaces the answer to a revoked token', async () => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'http_500' })
    await db().query({ name: 'test_revoke', text: 'update connections set revoked_at = now() where id = $1' }, [
      idOf(token),
    ])
    const answer = await vasp.get('/info', token)
    expect([answer.status, answer.headers.get('x-sandbox-fault')]).toEqual([401, null])
  })

  it('a process without the sandbox tools ignores a fault and keeps it', async () => {
    const token = await vasp.connectionToken('alice')
    await injectFault(vasp, token, { kind: 'INTERNAL' })
    expect((await plain.get('/info', token)).status).toBe(200)
    expect(await active(token)).toHaveLength(1)
  })

  it('a fault ends when its owner stops it, and another user cannot stop it', async () => {
    const token = await vasp.connectionToken('alice')
    const { id } = await injectFault(vasp, token, { kind: 'INTERNAL' })
    expect(await stopFault(vasp.app, 'bob', id)).toBe(false)
    expect(await stopFault(vasp.app, 'alice', id)).toBe(true)
    expect((await vasp.get('/info', token)).status).toBe(200)
  })

  describe('on a payment', () => {
    const scene = async (): Promise<{ payer: string; payee: string; token: string; invoice: string }> => {
      const payer = await newUser(vasp, { USD: 1_000_000n })
      const payee = await newUser(vasp, { SAT: 0n })
      const token = await vasp.connectionToken(payer, ['pay_invoice'])
      return { payer, payee, token, invoice: (await invoiceOf(vasp, payee, 'SAT', 5_000_000n)).invoice }
    }
    const pay = (token: string, invoice: string) =>
      vasp.auth
        .fetch(
          new Request(`${BASE}/payments/bolt11`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${token}` },
            body: JSON.stringify({ invoice }),
          }),
        )
        .then(async (response) => ({ status: response.status, text: await response.text().catch(() => undefined) }))

    it.each(FAULT_KINDS.filter((kind) => kind !== 'delay'))('%s before the work moves no money', async (kind) => {
      const { token, invoice } = await scene()
      const before = await booksOf(db())
      await injectFault(vasp, token, { kind })
      const { status, text } = await pay(token, invoice)
      expect(status === 200 && text?.includes('preimage":"')).toBe(false)
      expect(await booksOf(db())).toEqual(before)
    })

    it.each(FAULT_KINDS.filter((kind) => kind !== 'delay'))(
      '%s after the work pays once, and a retry finds the payment',
      async (kind) => {
        const { token, invoice, payee } = await scene()
        await injectFault(vasp, token, { kind, stage: 'after' })
        await pay(token, invoice)
        expect((await walletOf(db(), payee, 'SAT')).available).toBe(5_000_000n)
        const retry = await pay(token, invoice)
        expect(retry.status).toBe(200)
        expect(JSON.parse(retry.text ?? '')).toHaveProperty('preimage')
        expect((await walletOf(db(), payee, 'SAT')).available).toBe(5_000_000n)
      },
    )
  })

  it('a fault marks the event of its call, with the response that the client received', async () => {
    const token = await vasp.connectionToken('alice')
    recorded = []
    for (const kind of ['NOT_FOUND', 'http_500', 'closed_socket', 'invalid_json'] as const)
      await injectFault(vasp, token, { kind })
    for (let call = 0; call < 5; call += 1) await rawInfo(token)
    const calls = recorded.filter((event) => event.kind === 'api_call')
    expect(calls.map(({ injected, status }) => [injected, status])).toEqual([
      ['NOT_FOUND', 404],
      ['http_500', 500],
      ['closed_socket', undefined],
      ['invalid_json', 200],
      [undefined, 200],
    ])
    expect(calls[1]?.detail?.response).toContain('<html>')
    expect(calls[2]?.summary).toBe('The connection was closed without a response.')
  })

  it('a connection expires immediately and permanently, for its owner only', async () => {
    const token = await plain.connectionToken('alice')
    expect(await expireConnection(vasp.app, 'bob', idOf(token))).toBe(false)
    expect((await plain.get('/info', token)).status).toBe(200)
    expect(await expireConnection(vasp.app, 'alice', idOf(token))).toBe(true)
    expect((await plain.get('/info', token)).status).toBe(401)
    expect(await expireConnection(vasp.app, 'alice', idOf(token))).toBe(false)
    const later = `update connections set expires_at = now() + interval '1 hour' where id = $1`
    await expect(db().query({ name: 'test_later', text: later }, [idOf(token)])).rejects.toThrow(/never change/)
  })

  it('a quote expires immediately: paying it answers 400, and no money moves', async () => {
    const payer = await newUser(vasp, { USD: 1_000_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await vasp.connectionToken(payer, ['fetch_quote', 'execute_quote'])
    const asked = new URLSearchParams({
      sending_currency_code: 'USD',
      receiving_currency_code: 'SAT',
      locked_currency_amount: '100',
      locked_currency_side: 'sending',
      receiver_address: `$${payee}@localhost:3000`,
    })
    const quote = await vasp.get(`/quote/lud16?${asked}`, token)
    expect(quote.status).toBe(200)
    const hash = String(quote.body.payment_hash)
    const before = await booksOf(db())
    expect(await expireQuotes(vasp.app, payee, idOf(token), hash)).toBeUndefined()
    expect(await expireQuotes(vasp.app, payer, idOf(token), hash)).toBe(1)
    expect(await expireQuotes(vasp.app, payer, idOf(token), hash)).toBe(0)
    const paid = await vasp.post(`/quote/${hash}`, token, {})
    expect([paid.status, String(paid.body.message)]).toEqual([400, expect.stringMatching(/expired/) as string])
    const after = (await booksOf(db())) as Record<string, unknown>
    expect({ ...after, invoices: 0 }).toEqual({ ...(before as object), invoices: 0 })
  })
})
