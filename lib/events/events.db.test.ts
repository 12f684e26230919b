import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { takeRequestId, traced } from '@/lib/platform/trace'
import { describeOnBothEngines } from '@/test/databases/databases'
import { openEventFeed } from './feed'
import { INVOICE_LOOKUP } from './live-event'
import { countCallsByCode, DOCTOR_LOGIN, findEvent, findUnusedLogin, lastOutcomes, listEvents } from './queries'
import { createEventRecorder } from './recorder'
import { trimEvents } from './retention'
import type { EventRow, NewEvent } from './types'

const log = { warn: vi.fn() } as never
const everyone = { limit: 10_000 }

describeOnBothEngines('Events', (db) => {
  const reader = (userId: string, withUnowned = false) => ({ userId, withUnowned })

  async function record(...events: NewEvent[]): Promise<void> {
    const recorder = createEventRecorder({ db: db(), log })
    for (const event of events) recorder.record(event)
    await recorder.close()
    expect(recorder.droppedCount()).toBe(0)
  }

  test('a stored event has its fields, masked', async () => {
    await record({
      kind: 'api_call',
      name: 'GET /balance',
      userId: 'anna',
      connectionId: 'connection',
      requestId: 'request',
      paymentHash: 'hash',
      status: 401,
      durationMs: 1.5,
      failedCheck: 'bearer',
      summary: 'with eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln',
      detail: { request: String.raw`{"token":"abc","memo":"a\u0000"}`, facts: { path: '/balance' } },
      injected: 'delay',
    })
    const [row] = await listEvents({ db: db() }, reader('anna'), everyone)
    expect(row).toEqual({
      id: expect.any(BigInt),
      recordedAt: expect.any(Date),
      kind: 'api_call',
      name: 'GET /balance',
      userId: 'anna',
      connectionId: 'connection',
      requestId: 'request',
      paymentHash: 'hash',
      status: 401,
      durationMs: 1.5,
      failedCheck: 'bearer',
      summary: 'with [masked]',
      injected: 'delay',
    } satisfies Record<keyof EventRow, unknown>)
    expect((await findEvent({ db: db() }, reader('anna'), row?.id ?? 0n))?.detail).toEqual({
      request: '{"token":"[masked]","memo":"a\uFFFD"}',
      facts: { path: '/balance' },
    })
  })

  test('an event of another user is neither listed nor found, and an event without an owner is listed only for readers who may see it', async () => {
    await record(
      { kind: 'login', name: 'login refused' },
      { kind: 'payment', name: 'payment succeeded', userId: 'bert' },
    )
    const [own] = await listEvents({ db: db() }, reader('bert'), everyone)
    expect(own?.name).toBe('payment succeeded')
    expect(await findEvent({ db: db() }, reader('cara'), own?.id ?? 0n)).toBeUndefined()
    expect(await listEvents({ db: db() }, reader('cara'), everyone)).toEqual([])
    const [unowned] = await listEvents({ db: db() }, reader('cara', true), everyone)
    expect(unowned?.name).toBe('login refused')
    expect(await findEvent({ db: db() }, reader('cara'), unowned?.id ?? 0n)).toBeUndefined()
  })

  test('calls are counted by the code of their error, without the doctor’s logins and other users', async () => {
    const call = { kind: 'api_call', name: 'GET /balance', userId: 'ulla' } as const
    await record(
      { ...call, status: 200 },
      { ...call, status: 400, summary: 'OTHER: currency_code is missing.' },
      { ...call, status: 400, summary: 'OTHER: amount is missing.' },
      { ...call, summary: 'The connection was closed without a response.' },
      { ...call, userId: 'vera', status: 403, summary: 'RESTRICTED: not granted.' },
      { kind: 'login', name: DOCTOR_LOGIN, userId: 'ulla', status: 400 },
      { kind: 'token_exchange', name: 'POST /token', userId: 'ulla', status: 401, summary: 'The login has ended' },
      { kind: 'payment', name: 'payment failed', userId: 'ulla', summary: 'OTHER: not a call' },
    )
    const counts = await countCallsByCode({ db: db() }, reader('ulla'))
    expect(counts.map(({ code, lastHour, lastDay }) => [code, lastHour, lastDay])).toEqual([
      ['POST /token 401', 1n, 1n],
      ['GET /balance closed', 1n, 1n],
      ['OTHER', 2n, 2n],
      [null, 1n, 1n],
    ])
    await record({ kind: 'login', name: 'login refused', status: 400, summary: 'from elsewhere' })
    const codes = async (withUnowned: boolean) =>
      (await countCallsByCode({ db: db() }, reader('ulla', withUnowned))).map(({ code }) => code)
    expect(await codes(false)).not.toContain('login refused 400')
    expect(await codes(true)).toContain('login refused 400')
  })

  test('filters apply together', async () => {
    const call = { kind: 'api_call', userId: 'dora', connectionId: 'one' } as const
    await record(
      { ...call, name: 'GET /info', status: 200 },
      { ...call, name: 'POST /invoice', status: 400, summary: '100% of IT' },
      { ...call, name: 'POST /invoice', status: 400, connectionId: 'two' },
      { ...call, name: 'GET /budget', connectionId: 'three' },
      { kind: 'wallet', name: 'test money added', userId: 'dora' },
      { kind: 'uma_message', name: 'key document read', userId: 'dora', failedCheck: 'late' },
    )
    const names = async (filter: object): Promise<string[]> =>
      (await listEvents({ db: db() }, reader('dora'), { ...everyone, ...filter })).map(({ name }) => name)
    expect(await names({})).toHaveLength(6)
    expect(await names({ outcome: 'failed', connectionId: 'three' })).toEqual(['GET /budget'])
    expect(await names({ outcome: 'failed', kinds: ['uma_message'] })).toEqual(['key document read'])
    expect(await names({ outcome: 'failed', connectionId: 'one' })).toEqual(['POST /invoice'])
    expect(await names({ outcome: 'ok', kinds: ['api_call'] })).toEqual(['GET /info'])
    expect(await names({ text: '100% OF' })).toEqual(['POST /invoice'])
    expect(await names({ text: '_' })).toEqual([])
    expect(await names({ kinds: ['wallet'] })).toEqual(['test money added'])
  })

  test('the story of a payment has its events, those of its requests, and none of another user or of a poll', async () => {
    const [hash, ofBoth] = ['5'.repeat(64), { requestId: 'paying' }]
    await record(
      { kind: 'uma_message', name: 'address lookup sent', userId: 'nora', ...ofBoth },
      { kind: 'uma_message', name: 'key document read', ...ofBoth },
      { kind: 'api_call', name: 'GET /balance', userId: 'nora', requestId: 'other' },
      { kind: 'api_call', name: 'POST /payments/lud16', userId: 'nora', status: 200, paymentHash: hash, ...ofBoth },
      { kind: 'payment', name: 'payment succeeded', userId: 'nora', paymentHash: hash },
      { kind: 'invoice', name: 'invoice paid', userId: 'olga', paymentHash: hash, requestId: 'hers' },
      { kind: 'invoice', name: 'invoice created', userId: 'nora', requestId: 'hers' },
      { kind: 'api_call', name: INVOICE_LOOKUP, userId: 'nora', paymentHash: hash, requestId: 'poll' },
    )
    const names = async (filter: object, withUnowned = false): Promise<string[]> =>
      (await listEvents({ db: db() }, reader('nora', withUnowned), { limit: 100, ...filter })).map(({ name }) => name)
    const own = ['payment succeeded', 'POST /payments/lud16', 'address lookup sent']
    expect(await names({ story: hash })).toEqual(own)
    expect(await names({ story: hash }, true)).toEqual([...own.slice(0, 2), 'key document read', ...own.slice(2)])
    expect(await names({ story: 'paying' })).toEqual(own.slice(1))
    expect(await names({ story: hash, outcome: 'ok', kinds: ['payment'] })).toEqual(own.slice(0, 1))
    expect(await names({ story: hash, limit: 1 })).toEqual(own.slice(0, 1))
    expect(await names({ story: 'unknown' })).toEqual([])
  })

  test('an event has the id of the request in whose work it is recorded, and none outside a request', async () => {
    const recorder = createEventRecorder({ db: db(), log })
    const ids: (string | undefined)[] = []
    const server = createServer(
      traced((_request, response) => {
        recorder.record({ kind: 'uma_message', name: 'address lookup sent', userId: 'petra' })
        ids.push(takeRequestId())
        recorder.record({ kind: 'api_call', name: 'POST /payments/lud16', userId: 'petra', requestId: 'its own' })
        recorder.record({ kind: 'payment', name: 'payment held', userId: 'petra' })
        response.end()
      }),
    ).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (let sent = 0; sent < 2; sent++) await fetch(`http://127.0.0.1:${port}`)
    recorder.record({ kind: 'payment', name: 'payment succeeded', userId: 'petra' })
    await recorder.close()
    const stored = (await listEvents({ db: db() }, reader('petra'), everyone)).toReversed()
    const [first, second] = ids
    expect(first).not.toBe(second)
    expect(stored.map(({ requestId }) => requestId)).toEqual([first, 'its own', first, second, 'its own', second, null])
  })

  test('a subscriber receives its user’s events until it ends, and no events of other users', async () => {
    const feed = await openEventFeed({ db: db(), log })
    const own: string[] = []
    const other: string[] = []
    const later: string[] = []
    const ends = [
      feed.subscribe({ reader: reader('emil'), onEvent: ({ name }) => void own.push(name) }),
      feed.subscribe({ reader: reader('fred'), onEvent: ({ name }) => void other.push(name) }),
    ]
    await record({ kind: 'invoice', name: 'invoice paid', userId: 'emil' }, { kind: 'login', name: 'login refused' })
    await expect.poll(() => own, { interval: 5 }).toEqual(['invoice paid'])
    expect(other).toEqual([])
    for (const end of ends) end()
    feed.subscribe({ reader: reader('emil'), onEvent: ({ name }) => void later.push(name) })
    await record({ kind: 'invoice', name: 'invoice created', userId: 'emil' })
    await expect.poll(() => later, { interval: 5 }).toEqual(['invoice created'])
    expect(own).toEqual(['invoice paid'])
  })

  test('an owner keeps the newest events, and a flood of events without an owner evicts none of them', async () => {
    const many = (count: number, event: NewEvent): NewEvent[] => Array.from({ length: count }, () => event)
    await record(
      { kind: 'payment', name: 'first', userId: 'gina' },
      ...many(6, { kind: 'payment', name: 'later', userId: 'gina' }),
      { kind: 'payment', name: 'only', userId: 'hans' },
      ...many(50, { kind: 'login', name: 'flood' }),
    )
    await trimEvents(db(), { maxRows: 1_000, maxRowsPerOwner: 5, maxOutsideRowsPerOwner: 2, maxAgeHours: 24 })
    const count = async (userId: string, withUnowned = false): Promise<number> =>
      (await listEvents({ db: db() }, reader(userId, withUnowned), everyone)).length
    expect([await count('gina'), await count('hans'), await count('none', true)]).toEqual([5, 1, 5])
    expect((await listEvents({ db: db() }, reader('gina'), everyone)).map(({ name }) => name)).not.toContain('first')
    await trimEvents(db(), { maxRows: 3, maxRowsPerOwner: 5, maxOutsideRowsPerOwner: 2, maxAgeHours: 24 })
    expect((await count('gina')) + (await count('hans')) + (await count('none', true))).toBeLessThanOrEqual(3)
    await trimEvents(db(), { maxRows: 3, maxRowsPerOwner: 5, maxOutsideRowsPerOwner: 2, maxAgeHours: 0 })
    expect(await count('none', true)).toBe(0)
  })

  test('what other parties cause for a user evicts none of the user’s own events, and only a few of it are kept', async () => {
    await record(
      { kind: 'api_call', name: 'GET /balance', userId: 'lena' },
      ...Array.from(
        { length: 20 },
        () => ({ kind: 'uma_message', name: 'pay request received', userId: 'lena', fromOutside: true }) as const,
      ),
    )
    await trimEvents(db(), { maxRows: 1_000, maxRowsPerOwner: 5, maxOutsideRowsPerOwner: 2, maxAgeHours: 24 })
    const names = (await listEvents({ db: db() }, reader('lena'), everyone)).map(({ name }) => name)
    expect(names).toEqual(['pay request received', 'pay request received', 'GET /balance'])
  })

  test('an owner whose newest event was seen by the trim before is not read again', async () => {
    const many = Array.from({ length: 8 }, () => ({ kind: 'payment', name: 'payment held', userId: 'mona' }) as const)
    await record(...many)
    const limits = { maxRows: 1_000, maxRowsPerOwner: 5, maxOutsideRowsPerOwner: 2, maxAgeHours: 24 }
    const { newestId } = await trimEvents(db(), limits)
    expect(await trimEvents(db(), { ...limits, maxRowsPerOwner: 3 }, newestId)).toEqual({ trimmed: 0, newestId })
    await record({ kind: 'payment', name: 'payment held', userId: 'mona' })
    expect((await trimEvents(db(), { ...limits, maxRowsPerOwner: 3 }, newestId)).trimmed).toBe(3)
  })

  test('the last success and the last failure of each step of a gateway’s first contact are found', async () => {
    const pays = ['POST /payments/bolt11', 'POST /quote/{payment_hash}']
    const call = { kind: 'api_call', userId: 'jack' } as const
    await record(
      { kind: 'discovery', name: 'GET /.well-known/uma-configuration', status: 200 },
      { kind: 'login', name: 'login offered', summary: 'to http://first.example' },
      { kind: 'login', name: 'login refused', status: 400, summary: 'first' },
      { kind: 'login', name: 'login refused', status: 400, summary: 'second' },
      { kind: 'login', name: 'login token issued', userId: 'jack', status: 303 },
      { kind: 'login', name: 'login tried', userId: 'jack', status: 500 },
      { kind: 'token_exchange', name: 'POST /token', userId: 'jack', status: 401, failedCheck: 'signature' },
      { ...call, name: 'GET /info', status: 200, summary: 'first' },
      { ...call, name: 'GET /info', status: 200, summary: 'second' },
      { ...call, name: 'GET /info', status: 401, userId: 'kate' },
      { ...call, name: 'GET /balance', status: 200 },
      { ...call, name: 'POST /quote/{payment_hash}', status: 200 },
      { ...call, name: 'POST /payments/bolt11', status: 400 },
    )
    const own = await lastOutcomes({ db: db() }, reader('jack'), pays)
    expect(own).toEqual({
      discovery: {},
      login: { success: expect.objectContaining({ name: 'login token issued' }) as EventRow },
      token_exchange: { failure: expect.objectContaining({ failedCheck: 'signature' }) as EventRow },
      info: { success: expect.objectContaining({ summary: 'second' }) as EventRow },
      unknown_path: {},
      payment: {
        success: expect.objectContaining({ name: 'POST /quote/{payment_hash}' }) as EventRow,
        failure: expect.objectContaining({ name: 'POST /payments/bolt11', status: 400 }) as EventRow,
      },
    })
    const all = await lastOutcomes({ db: db() }, reader('jack', true), pays)
    expect(all.discovery.success).toMatchObject({ status: 200 })
    expect(all.login).toMatchObject({ success: { name: 'login token issued' }, failure: { summary: 'second' } })
    expect(all.info).toEqual(own.info)
  })

  test('a login token is unused until a call has it, and only the newest one counts', async () => {
    const issued = (loginId: string): NewEvent => ({
      kind: 'login',
      name: 'login token issued',
      userId: 'lena',
      status: 303,
      detail: { facts: { loginId } },
    })
    const call = (id: string, more: Partial<NewEvent> = {}): NewEvent => ({
      kind: 'api_call',
      name: 'GET /info',
      userId: 'lena',
      status: 200,
      detail: { facts: { claims: { use: 'login', id } } },
      ...more,
    })
    const unused = async (): Promise<boolean> => (await findUnusedLogin(db(), 'lena')) !== undefined
    expect(await unused()).toBe(false)
    await record(issued('first'))
    const [event] = await listEvents({ db: db() }, reader('lena'), { limit: 1 })
    expect(await findUnusedLogin(db(), 'lena')).toEqual({ id: event?.id, issuedAt: event?.recordedAt })
    expect(await findUnusedLogin(db(), 'mona')).toBeUndefined()
    await record(
      call('first', { connectionId: 'connection' }),
      call('other'),
      call('first', { name: 'GET /balance' }),
      { kind: 'login', name: 'login tried', userId: 'lena', status: 302 },
    )
    expect(await unused()).toBe(true)
    await record(call('first'))
    expect(await unused()).toBe(false)
    await record(issued('second'))
    expect(await unused()).toBe(true)
    await record(call('second', { kind: 'token_exchange', name: 'POST /token', status: 401, connectionId: 'new' }))
    expect(await unused()).toBe(false)
  })

  test('an event cannot be changed', async () => {
    await record({ kind: 'payment', name: 'payment succeeded', userId: 'ida' })
    await expect(
      db().query({ name: '', text: `update events set name = 'other' where user_id = 'ida'` }),
    ).rejects.toThrow('an event never changes')
  })
})

const unstored = { query: () => Promise.reject(new Error('no database')) } as never

test('a full queue and a failed write drop events and count them, and callers are not affected', async () => {
  const recorder = createEventRecorder({ db: unstored, log })
  const owners = ['anna', 'bert', 'cara']
  for (let count = 0; count < 2_500; count++)
    recorder.record({ kind: 'payment', name: 'payment succeeded', userId: owners[count % 3] })
  expect(recorder.droppedCount()).toBe(500)
  await recorder.close()
  recorder.record({ kind: 'payment', name: 'payment succeeded', userId: 'anna' })
  expect(recorder.droppedCount()).toBeGreaterThan(500)
})

test.each<[string, NewEvent]>([
  ['refused logins', { kind: 'login', name: 'login refused' }],
  ['messages for the user', { kind: 'uma_message', name: 'pay request received', userId: 'ida', fromOutside: true }],
])('a flood of %s causes none of a user’s events to be dropped', async (_, flood) => {
  const stored: string[] = []
  const query = async (_statement: unknown, [batch]: readonly [string]): Promise<void> =>
    void stored.push(...(JSON.parse(batch) as { name: string }[]).map(({ name }) => name))
  const recorder = createEventRecorder({ db: { query } as never, log })
  for (let count = 0; count < 10_000; count++) recorder.record(flood)
  recorder.record({ kind: 'payment', name: 'payment succeeded', userId: 'ida' })
  await recorder.close()
  expect(stored.filter((name) => name === 'payment succeeded')).toHaveLength(1)
  expect(stored.length).toBeLessThan(2_000)
  expect(stored.length + recorder.droppedCount()).toBe(10_001)
})

test('large bodies are masked in several turns of the event loop, in order, before close returns', async () => {
  let turn = 0
  const count = (): void => {
    turn += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const batches: { turn: number; names: string[] }[] = []
  const query = async (_statement: unknown, [batch]: readonly [string]): Promise<void> =>
    void batches.push({ turn, names: (JSON.parse(batch) as { name: string }[]).map(({ name }) => name) })
  const recorder = createEventRecorder({ db: { query } as never, log })
  const names = Array.from({ length: 9 }, (_, at) => `call ${at}`)
  const request = JSON.stringify({ memo: 'x'.repeat(60_000) })
  for (const name of names) recorder.record({ kind: 'api_call', name, userId: 'ida', detail: { request } })
  await recorder.close()
  clearImmediate(next)
  expect(batches.flatMap((batch) => batch.names)).toEqual(names)
  expect(Math.max(...batches.map((batch) => batch.names.length))).toBe(2)
  expect(new Set(batches.map((batch) => batch.turn)).size).toBe(batches.length)
})

test('queued bodies are bounded by their size, and later events are dropped and counted', async () => {
  const recorder = createEventRecorder({ db: unstored, log })
  const request = 'x'.repeat(64 * 1024)
  for (let count = 0; count < 600; count++)
    recorder.record({ kind: 'api_call', name: 'POST /invoice', userId: 'ida', detail: { request } })
  expect(recorder.droppedCount()).toBe(600 - 512)
  await recorder.close()
})
