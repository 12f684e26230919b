import { expect, it, vi } from 'vitest'
import { readWallets } from '@/lib/ledger/accounts'
import { CLIENT_ADDRESS_HEADER } from '@/lib/platform/http/networks'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeTestVasp, onDatabase } from '@/test/vasp/vasp'
import { POST as reset } from './[username]/reset/route'
import { DELETE } from './[username]/route'
import { POST } from './route'

vi.mock('next/headers', () => ({ cookies: async () => ({ get: () => undefined }) }))

const PRIVATE = { SANDBOX_TOOLS: 'private', SANDBOX_TEAM_PASSWORD: 'the team of this test' }
const params = { params: Promise.resolve({ username: 'alice' }) }

describeOnBothEngines('The addresses of temporary users', (db) => {
  const serve = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const { app } = await makeTestVasp(db(), env)
    processSingletons().set('application', app)
    processSingletons().delete('new-user-limiter')
  }
  const readUser = (username: string) =>
    db().query<{ status: string; resets: number }>(
      {
        name: 'test_user',
        text: `select u.status, (select count(*)::int from journal_entries where idempotency_key like 'reset:' || u.id || ':%') as resets
               from users u where id = $1`,
      },
      [username],
    )
  const post = (
    headers: Record<string, string> = {},
    handle: typeof reset = POST,
    body: unknown = {},
  ): Promise<Response> =>
    handle(
      new Request('http://localhost:3000/sandbox/users', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', [CLIENT_ADDRESS_HEADER]: '203.0.113.7', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      params,
    )
  const remove = (headers: Record<string, string> = {}): Promise<Response> =>
    DELETE(new Request('http://localhost:3000/sandbox/users/alice', { method: 'DELETE', headers }), params)

  it('answer 404 with the sandbox tools off', async () => {
    await serve({ SANDBOX_TOOLS: 'off' })
    for (const response of [await post(), await post({}, reset), await remove()]) {
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  })

  it('answer 201 with everything that a test needs', async () => {
    const vasp = await makeTestVasp(db())
    processSingletons().set('application', vasp.app)
    const response = await post({ Origin: 'http://localhost:3000' }, POST, { currencies: ['JPY', 'KWD'] })
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(response.headers.get('set-cookie')).toBeNull()
    const user = (await response.json()) as Record<string, string>
    expect(Object.keys(user)).toEqual(['username', 'address', 'password', 'loginUrl', 'manageToken', 'expiresAt'])
    expect(user.address).toBe(`$${user.username}@localhost:3000`)
    expect(Math.round((Date.parse(user.expiresAt ?? '') - Date.now()) / 3_600_000)).toBe(24)
    expect((await readWallets(db(), user.username ?? '')).map(({ code }) => code)).toEqual(['JPY', 'KWD'])
    expect((await vasp.get('/balance', user.manageToken)).status).toBe(401)
    expect((await vasp.exchange(user.manageToken ?? '', { permissions: ['get_balance'] })).status).toBe(401)
  })

  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
  it.each<[number, string, Record<string, string>, unknown]>([
    [415, 'unsupported_media_type', { 'Content-Type': 'text/plain' }, {}],
    [415, 'unsupported_media_type', FORM, 'a=b'],
    [403, 'foreign_origin', { Origin: 'http://evil.example' }, {}],
    [403, 'foreign_origin', { Origin: 'null' }, {}],
    [400, 'not_json', {}, ''],
    [400, 'not_json', {}, '{'],
    [400, 'not_json', {}, '[]'],
    [400, 'not_json', {}, 'null'],
    [400, 'not_json', {}, '"x"'],
    [400, 'unknown_currency', {}, { currencies: ['XYZ'] }],
    [400, 'count', {}, { currencies: [] }],
    [400, 'count', {}, { currencies: ['USD', 'USD'] }],
    [400, 'unknown_field', {}, { username: 'me' }],
    [413, 'other', {}, { currencies: 'x'.repeat(70_000) }],
  ])('answer %i %s', async (status, code, headers, body) => {
    await serve({})
    const response = await post(headers, POST, body)
    expect([response.status, await response.json()]).toMatchObject([status, { code }])
  })

  it('close no user for a request without a manage token, with a wrong one, or from another site', async () => {
    await serve({})
    for (const [headers, status] of [
      [{}, 401],
      [{ 'X-Manage-Token': 'wrong' }, 401],
      [{ 'X-Manage-Token': 'wrong', Origin: 'http://evil.example' }, 403],
    ] as const)
      expect((await remove({ ...headers })).status).toBe(status)
  })

  it.each([
    ['currencies', { currencies: 'USD' }],
    ['currencies', { currencies: 7 }],
    ['currencies.0', { currencies: [7] }],
    ['currencies.1', { currencies: ['USD', null] }],
  ])('refuse a wrong type in our own words that name the field %s: %j', async (field, body) => {
    await serve({})
    const response = await post({}, POST, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ field, message: `${field} is missing or not valid.` })
  })

  it.each([null, '', undefined])('take a list of currencies that is %j as absent', async (currencies) => {
    await serve({})
    expect((await post({}, POST, { currencies })).status).toBe(201)
  })

  it('need the team password of a private sandbox', async () => {
    await serve(PRIVATE)
    for (const response of [
      await post(),
      await post({ Authorization: 'Bearer wrong' }),
      await post({}, reset),
      await remove(),
    ]) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect((await post({ Authorization: `Bearer ${PRIVATE.SANDBOX_TEAM_PASSWORD}` })).status).toBe(201)
  })

  it('answer 503 while the database cannot count a wrong team password', async () => {
    const vasp = await makeTestVasp(db(), PRIVATE)
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' })
    const { app } = onDatabase(vasp, { ...db(), query: () => Promise.reject(cause) })
    processSingletons().set('application', app)
    const response = await post({ Authorization: 'Bearer wrong' })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('10.1.2.3')
  })

  it('limit the creations of a client address, and not those of another', async () => {
    await serve({ RATE_LIMITS: 'on', SANDBOX_USERS_PER_MINUTE: '2' })
    expect([(await post()).status, (await post()).status]).toEqual([201, 201])
    const refused = await post()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    expect((await post({ [CLIENT_ADDRESS_HEADER]: '203.0.113.8' })).status).toBe(201)
  })

  it('reset and close the user of the manage token only, whatever user the address names', async () => {
    await serve({})
    const made = async () => (await (await post()).json()) as { username: string; manageToken: string }
    const [own, other] = [await made(), await made()]
    const at = (username: string) => ({ params: Promise.resolve({ username }) })
    const ask = (handle: typeof reset | typeof DELETE, username: string, method: 'POST' | 'DELETE') =>
      handle(
        new Request(`http://localhost:3000/sandbox/users/${username}`, {
          method,
          headers: { 'Content-Type': 'application/json', 'X-Manage-Token': own.manageToken },
          ...(method === 'POST' ? { body: '{}' } : {}),
        }),
        at(username),
      )
    const before = await readUser(other.username)
    for (const foreign of [other.username, 'alice', own.username.toUpperCase(), `${own.username}x`]) {
      expect((await ask(reset, foreign, 'POST')).status).toBe(404)
      expect((await ask(DELETE, foreign, 'DELETE')).status).toBe(404)
    }
    expect(await readUser(other.username)).toEqual(before)
    expect((await ask(reset, own.username, 'POST')).status).toBe(204)
    expect((await ask(DELETE, own.username, 'DELETE')).status).toBe(204)
    expect((await ask(DELETE, own.username, 'DELETE')).status).toBe(401)
    expect(await readUser(own.username)).toMatchObject([{ status: 'closed' }])
  })

  it('limit the resets of one user in a shared sandbox, and not those of another or on one machine', async () => {
    for (const [env, most] of [
      [PRIVATE, 10],
      [{}, 15],
    ] as const) {
      await serve({ ...env, RATE_LIMITS: 'on' })
      processSingletons().delete('reset-limiter')
      const team = { Authorization: `Bearer ${PRIVATE.SANDBOX_TEAM_PASSWORD}` }
      const made = async () => (await (await post(team)).json()) as { username: string; manageToken: string }
      const resetOf = ({ username, manageToken }: { username: string; manageToken: string }) =>
        reset(
          new Request(`http://localhost:3000/sandbox/users/${username}/reset`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', 'X-Manage-Token': manageToken, ...team },
            body: '{}',
          }),
          { params: Promise.resolve({ username }) },
        )
      const [one, other] = [await made(), await made()]
      const answers: Response[] = []
      for (let count = 0; count < 15; count++) answers.push(await resetOf(one))
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(most)
      if (most < 15) expect(Number(answers[10]?.headers.get('retry-after'))).toBeGreaterThan(300)
      expect((await resetOf(other)).status).toBe(204)
    }
  })

  it('answer 409 when the sandbox is full', async () => {
    await serve({ SANDBOX_USERS_MAX: '1' })
    await post()
    const response = await post()
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'too_many_users' })
  })
})
