import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { processSingletons } from '@/lib/platform/process-singletons'
import { expireQuotes, listFaults, listOpenQuotes } from '@/lib/sandbox/faults/service'
import { describeOnBothEngines } from '@/test/databases/databases'
import { withFaultInjector } from '@/test/vasp/faults'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { DELETE } from './[id]/route'
import { POST } from './route'

let signedIn: string | undefined = 'alice'
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => true,
  sessionOfRequest: async () => (signedIn === undefined ? null : pageSession(signedIn)),
}))

const MANAGE_TOKEN = 'the manage token of bob'

describeOnBothEngines('POST and DELETE of /sandbox/faults', (db) => {
  let vasp: TestVasp
  let token = ''
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const hash = createHash('sha256').update(MANAGE_TOKEN).digest('hex')
    await db().query({ name: 'test_token', text: `update users set manage_token_hash = $1 where id = 'bob'` }, [hash])
    vasp = withFaultInjector(await makeTestVasp(db()))
  })
  beforeEach(async () => {
    signedIn = 'alice'
    processSingletons().set('application', vasp.app)
    token = await vasp.connectionToken('alice')
  })

  const answerOf = async (response: Response) => {
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    POST(
      new Request('http://localhost:3000/sandbox/faults', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      { params: Promise.resolve({}) },
    ).then(answerOf)
  const remove = (id: string, headers: Readonly<Record<string, string>> = {}) =>
    DELETE(new Request(`http://localhost:3000/sandbox/faults/${id}`, { method: 'DELETE', headers }), {
      params: Promise.resolve({ id }),
    }).then(answerOf)
  const kept = (username = 'alice') => listFaults(db(), username, idOf(token))

  it('adds a fault to a connection of the session’s user, and stops it', async () => {
    const { status, body } = await post({ connection: idOf(token), kind: 'http_429', calls: 3, seconds: 2, minutes: 5 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ connection: idOf(token), kind: 'http_429', when: 'before', callsLeft: 3, seconds: 2 })
    expect(Date.parse(String(body.expiresAt)) - Date.now()).toBeLessThanOrEqual(5 * 60_000)
    expect((await vasp.get('/info', token)).status).toBe(429)
    expect((await remove(String(body.id))).status).toBe(204)
    expect((await vasp.get('/info', token)).status).toBe(200)
    expect((await remove(String(body.id))).status).toBe(404)
  })

  it('has defaults: one call, before the work, one hour', async () => {
    const { body } = await post({ connection: idOf(token), kind: 'delay' })
    expect(body).toMatchObject({ when: 'before', callsLeft: 1, seconds: 8 })
    const minutes = (Date.parse(String(body.expiresAt)) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(59)
    expect(minutes).toBeLessThanOrEqual(60)
  })

  it('acts for the user of a manage token, and does not fall back to the session when the token is wrong', async () => {
    const bobs = await vasp.connectionToken('bob')
    const fault = { connection: idOf(bobs), kind: 'INTERNAL' }
    expect((await post(fault)).status).toBe(404)
    const added = await post(fault, { 'X-Manage-Token': MANAGE_TOKEN })
    expect(added.status).toBe(201)
    expect((await remove(String(added.body.id))).status).toBe(404)
    expect((await remove(String(added.body.id), { 'X-Manage-Token': MANAGE_TOKEN })).status).toBe(204)
    expect((await post(fault, { 'X-Manage-Token': 'wrong' })).status).toBe(401)
    signedIn = undefined
    expect((await post(fault)).status).toBe(401)
    expect((await remove('1')).status).toBe(401)
  })

  it('answers 404 for a connection of another user, one that does not exist and one that has ended', async () => {
    const bobs = await vasp.connectionToken('bob')
    for (const kind of ['INTERNAL', 'expire_connection', 'expire_quote'])
      for (const connection of [idOf(bobs), 'no-such-connection'])
        expect(await post({ connection, kind })).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await vasp.get('/info', bobs)).status).toBe(200)
    expect(await post({ connection: idOf(token), kind: 'expire_connection' })).toMatchObject({
      status: 200,
      body: { expired: 1 },
    })
    expect((await vasp.get('/info', token)).status).toBe(401)
    expect((await post({ connection: idOf(token), kind: 'INTERNAL' })).status).toBe(404)
  })

  it('expires every open quote of a connection', async () => {
    const bobs = await vasp.connectionToken('alice', ['fetch_quote'])
    const asked = new URLSearchParams({
      sending_currency_code: 'USD',
      receiving_currency_code: 'SAT',
      locked_currency_amount: '100',
      locked_currency_side: 'sending',
      receiver_address: '$bob@localhost:3000',
    })
    // Of the same user's other connection, and of another user.
    const pennys = await vasp.connectionToken('penny', ['fetch_quote'])
    const others = [await vasp.connectionToken('alice', ['fetch_quote']), pennys]
    const open = (own: string, username: string) => listOpenQuotes(db(), username, idOf(own))
    for (const other of others) expect((await vasp.get(`/quote/lud16?${asked}`, other)).status).toBe(200)
    for (let quote = 0; quote < 2; quote += 1) expect((await vasp.get(`/quote/lud16?${asked}`, bobs)).status).toBe(200)
    // Neither by its own faults nor by a name of its connection does one user reach the quotes of another.
    expect((await post({ connection: idOf(pennys), kind: 'expire_quote' })).status).toBe(404)
    expect(await expireQuotes({ db: db(), events: vasp.app.events }, 'alice', idOf(pennys))).toBeUndefined()
    const expire = { connection: idOf(bobs), kind: 'expire_quote' }
    expect((await post(expire)).body).toEqual({ ...expire, expired: 2 })
    expect((await post(expire)).body).toEqual({ ...expire, expired: 0 })
    expect(await open(bobs, 'alice')).toEqual([])
    expect(await open(others[0] ?? '', 'alice')).toHaveLength(1)
    expect(await open(pennys, 'penny')).toHaveLength(1)
    expect(await open(pennys, 'alice')).toEqual([])
  })

  it('refuses an eleventh fault of a connection', async () => {
    for (let fault = 0; fault < 10; fault += 1)
      expect((await post({ connection: idOf(token), kind: 'OTHER' })).status).toBe(201)
    expect(await post({ connection: idOf(token), kind: 'OTHER' })).toMatchObject({
      status: 409,
      body: { code: 'too_many_faults' },
    })
    expect(await kept()).toHaveLength(10)
  })

  it('adds ten of thirty faults that are sent at the same instant, and each fails one call', async () => {
    const sent = Array.from({ length: 30 }, () => post({ connection: idOf(token), kind: 'OTHER' }))
    const statuses = (await Promise.all(sent)).map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(20).fill(409)])
    expect(await kept()).toHaveLength(10)
    for (let call = 0; call < 10; call += 1) expect((await vasp.get('/info', token)).status).toBe(400)
    expect((await vasp.get('/info', token)).status).toBe(200)
  })

  it.each([
    ['body', '['],
    ['body', '[]'],
    ['connection', { kind: 'OTHER' }],
    ['connection', { connection: 'a b', kind: 'OTHER' }],
    ['connection', { connection: 7, kind: 'OTHER' }],
    ['kind', {}],
    ['kind', { kind: 'http_200' }],
    ['kind', { kind: '__proto__' }],
    ['when', { when: 'during' }],
    ['calls', { calls: 0 }],
    ['calls', { calls: 101 }],
    ['calls', { calls: 1.5 }],
    ['calls', { calls: '3' }],
    ['minutes', { minutes: 61 }],
    ['seconds', { kind: 'delay', seconds: 61 }],
    ['seconds', { kind: 'delay', seconds: -1 }],
    ['seconds', { kind: 'OTHER', seconds: 3 }],
    ['seconds', { kind: 'http_429', seconds: 3_601 }],
    ['paymentHash', { kind: 'expire_quote', paymentHash: 'x' }],
    ['paymentHash', { kind: 'OTHER', paymentHash: 'ab'.repeat(32) }],
    ['when', { kind: 'expire_quote', when: 'after' }],
    ['calls', { kind: 'expire_connection', calls: 2 }],
    ['until', { until: 'tomorrow' }],
  ])('answers 400 with the field %s and adds nothing: %j', async (field, fields) => {
    const isWhole = typeof fields === 'string' || field === 'connection'
    const body = isWhole || field === 'kind' ? fields : { kind: 'OTHER', ...fields }
    const sent = typeof body === 'string' || field === 'connection' ? body : { connection: idOf(token), ...body }
    const answer = await post(sent)
    expect([answer.status, answer.body.field]).toEqual([400, field])
    expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'field', 'message'])
    expect(await kept()).toEqual([])
  })

  it('answers 415 to a form, 403 to a page of another site, and 404 without the sandbox tools', async () => {
    const fault = { connection: idOf(token), kind: 'INTERNAL' }
    expect((await post(fault, { 'Content-Type': 'text/plain' })).status).toBe(415)
    for (const Origin of ['https://evil.example', 'null', 'http://localhost:3001']) {
      expect((await post(fault, { Origin })).status).toBe(403)
      expect((await remove('1', { Origin })).status).toBe(403)
    }
    expect((await post(fault, { Origin: 'http://localhost:3000' })).status).toBe(201)
    const settings = { ...vasp.app.settings, sandboxTools: false }
    processSingletons().set('application', { ...vasp.app, settings, faults: undefined })
    expect((await post(fault)).status).toBe(404)
    expect((await remove('1')).status).toBe(404)
  })
})
