import fc from 'fast-check'
import { COMMANDS } from 'uma-auth-vasp'
import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { signAny } from '@/packages/uma-auth-vasp/test/token-faults'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, read, type TestVasp } from '@/test/vasp/vasp'

const BASE = 'http://localhost:3000/umanwc/v1'
const UNAUTHORIZED = { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' }
const OURS = { iss: 'localhost:3000', aud: 'localhost:3000' }

const revoke = (vasp: TestVasp, token: string): Promise<unknown> =>
  vasp.app.db.query({ name: 'test_revoke_one', text: `update connections set revoked_at = now() where id = $1` }, [
    idOf(token),
  ])

describeOnBothEngines('the guard of the gateway API', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  const call = (path: string, init: RequestInit = {}): Promise<Awaited<ReturnType<typeof read>>> =>
    vasp.api(new Request(`${BASE}${path}`, init)).then(read)

  it('marks every answer, refusals included, as not cacheable and gives it a request id', async () => {
    const token = await vasp.connectionToken('alice')
    const answers = [
      await vasp.get('/info', token),
      await vasp.get('/info'),
      await vasp.get('/nothing', token),
      await vasp.get('/receiver/lud16/nobody', token),
      await call('/info', { method: 'DELETE' }),
      await vasp.exchange(undefined, {}),
      await vasp.exchange(await vasp.loginToken('alice'), {}),
      await vasp.exchange(await vasp.loginToken('alice'), { permissions: ['get_info'] }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 403, 405, 401, 400, 200])
    for (const { status, headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    }
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(answers.length)
  })

  it('authenticates by the bearer token only, even when the request has a cookie', async () => {
    const token = await vasp.connectionToken('bob')
    const cookie = 'northbank.session=somebody-else; next-auth.session-token=x'
    const withBoth = await call('/info', { headers: { Authorization: `Bearer ${token}`, Cookie: cookie } })
    expect(withBoth).toMatchObject({ status: 200, body: { lud16: '$bob@localhost:3000' } })
    expect(await call('/info', { headers: { Cookie: cookie } })).toMatchObject({ status: 401, body: UNAUTHORIZED })
  })

  it.each([
    ['x-middleware-subrequest', Array.from({ length: 5 }, () => 'middleware').join(':')],
    ['x-middleware-subrequest', 'proxy:proxy:proxy:proxy:proxy'],
    ['rsc', '1'],
    ['next-router-prefetch', '1'],
    ['next-router-segment-prefetch', '/info'],
    ['next-action', 'x'],
    ['x-nextjs-data', '1'],
    ['x-http-method-override', 'DELETE'],
    ['x-original-url', '/umanwc/v1/nothing'],
    ['x-rewrite-url', '/'],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-proto', 'https'],
    ['forwarded', 'for=127.0.0.1;host=evil.example'],
    ['origin', 'https://evil.example'],
    ['x-user', 'alice'],
  ])('answers the same with and without the header %s', async (name, value) => {
    expect(await call('/info', { headers: { [name]: value } })).toMatchObject({ status: 401, body: UNAUTHORIZED })
    const Authorization = `Bearer ${await vasp.connectionToken('alice')}`
    const plain = await call('/info', { headers: { Authorization } })
    const withHeader = await call('/info', { headers: { Authorization, [name]: value } })
    expect([withHeader.status, withHeader.body]).toEqual([200, plain.body])
  })

  it('ignores tokens in the URL and in the body', async () => {
    const token = await vasp.connectionToken('alice')
    for (const path of [`/info?token=${token}`, `/info?access_token=${token}`, `/info?Authorization=Bearer%20${token}`])
      expect((await call(path)).status).toBe(401)
    const login = await vasp.loginToken('alice')
    const body = JSON.stringify({ token: login, permissions: ['get_info'] })
    expect((await call('/token', { method: 'POST', body })).status).toBe(401)
  })

  it('revokes every spelling of a token, because it compares the id and not the text', async () => {
    const token = await vasp.connectionToken('alice')
    // The last base64url character of 64 bytes has four unused bits, so one signature has sixteen spellings.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(token.at(-1) ?? '')
    const twins = Array.from({ length: 16 }, (_, spare) => `${token.slice(0, -1)}${alphabet[(last & 0x30) | spare]}`)
    expect(twins).toContain(token)
    expect((await vasp.get('/info', token)).status).toBe(200)
    await revoke(vasp, token)
    for (const twin of twins) expect((await vasp.get('/info', twin)).status).toBe(401)
  })

  it('rejects a deleted account: 404 with the name at the exchange, 401 everywhere else', async () => {
    const run = (name: string, text: string): Promise<unknown> => db().query({ name: `test_leaver_${name}`, text })
    await run('user', `insert into users (id, display_name, password_hash) values ('leaver', 'Leaver', 'none')`)
    const login = await vasp.loginToken('leaver')
    expect((await vasp.get('/info', login)).status).toBe(403)
    for (const table of ['login_grants', 'sessions']) {
      await run(`${table}_ended`, `update ${table} set expires_at = now() - interval '2 days' where user_id = 'leaver'`)
      await run(table, `delete from ${table} where user_id = 'leaver'`)
    }
    await run('leaves', `delete from users where id = 'leaver'`)
    expect(await vasp.get('/info', login)).toMatchObject({ status: 401, body: UNAUTHORIZED })
    const answer = await vasp.exchange(login, { permissions: ['get_info'] })
    expect([answer.status, answer.body]).toEqual([404, { error: 'User leaver not found.' }])
  })

  it.each([
    '1 OR 1=1',
    "alice'--",
    '__proto__',
    'constructor',
    'Alice',
    'alice ',
    'ali\0ce',
    '\ud800',
    '😀',
    '../alice',
  ])('finds no user %j, even if the token is signed correctly', async (sub) => {
    const exp = Math.floor(Date.now() / 1000) + 600
    const tokenOf = (token_use: string): string =>
      signAny({ ...OURS, sub, jti: 'x', token_use, scope: 'get_info', exp }, vasp.pair.privatePem)
    expect([401, 404]).toContain((await vasp.exchange(tokenOf('login'), { permissions: ['get_info'] })).status)
    for (const use of ['login', 'connection']) expect((await vasp.get('/info', tokenOf(use))).status).toBe(401)
  })

  it.each(['a\0b', "' or true --", '\ud800', '%00'])('finds no connection %j', async (jti) => {
    const claims = { ...OURS, sub: 'alice', jti, token_use: 'connection', scope: 'get_info' }
    expect((await vasp.get('/info', signAny(claims, vasp.pair.privatePem))).status).toBe(401)
  })

  it('accepts neither kind of token in place of the other, even with real ids', async () => {
    const exp = Math.floor(Date.now() / 1000) + 600
    const [login, connection] = [idOf(await vasp.loginToken('alice')), idOf(await vasp.connectionToken('alice'))]
    for (const [jti, token_use] of [
      [login, 'connection'],
      [connection, 'login'],
    ] as const) {
      const forged = signAny({ ...OURS, sub: 'alice', jti, token_use, scope: 'get_info', exp }, vasp.pair.privatePem)
      expect((await vasp.get('/info', forged)).status).toBe(401)
      expect((await vasp.exchange(forged, { permissions: ['get_info'] })).status).toBe(401)
    }
  })

  it('compares whole names in a scope', async () => {
    const jti = idOf(await vasp.connectionToken('alice'))
    for (const scope of ['get_information', 'xget_info', 'get_info,get_balance', 'GET_INFO', '', ' ', undefined]) {
      const claims = { ...OURS, sub: 'alice', jti, token_use: 'connection', scope }
      expect((await vasp.get('/info', signAny(claims, vasp.pair.privatePem))).status, scope).toBe(403)
    }
  })

  it('uses the last of two equal JSON keys, and accepts any content type', async () => {
    const Authorization = `Bearer ${await vasp.loginToken('alice')}`
    const post = (body: string, type: string): Promise<{ status: number }> =>
      call('/token', { method: 'POST', body, headers: { Authorization, 'Content-Type': type } })
    const good = '{"permissions":["get_info"]}'
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/x-nothing'])
      expect((await post(good, type)).status).toBe(200)
    expect((await post('{"permissions":["get_info"],"permissions":[]}', 'application/json')).status).toBe(400)
    expect((await post('permissions=get_info', 'application/x-www-form-urlencoded')).status).toBe(400)
  })

  it('ignores fields that the caller may not set', async () => {
    const stranger = { id: 'mine', user_id: 'bob', username: 'bob', sub: 'bob', jti: 'mine', scope: 'pay_invoice' }
    const { status, body } = await vasp.exchange(await vasp.loginToken('alice'), {
      permissions: ['get_info'],
      ...stranger,
      __proto__: { expiration: 1 },
    })
    expect(status).toBe(200)
    const claims = await vasp.auth.tokens.verify(String(body.token))
    expect(claims).toMatchObject({ userId: 'alice', scope: ['get_info', 'get_budget'], expiresAtSeconds: undefined })
    expect(claims?.id).not.toBe('mine')
  })

  it.each(['usd', '', '__proto__', 'constructor', 'BTC', 'US', 'USD ', 'USD\0', 'x'.repeat(10_000)])(
    'refuses the budget currency %.20s, and a missing or repeated one',
    async (raw) => {
      const code = encodeURIComponent(raw)
      const token = await vasp.connectionToken('alice')
      const start = '/budget_estimate?sending_currency_code=USD&sending_currency_amount=1'
      for (const path of [
        `${start}&budget_currency_code=${code}`,
        `${start}&budget_currency_code=SAT&budget_currency_code=${code}`,
        start,
      ]) {
        expect(await vasp.get(path, token)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      }
    },
  )

  it('never repeats invalid input in its answer', async () => {
    const token = await vasp.connectionToken('alice')
    const { body } = await vasp.get('/budget_estimate?sending_currency_code=%3Cscript%3Ecanary', token)
    expect(JSON.stringify(body)).not.toMatch(/canary|script|zod|at /)
  })

  // test/bad-input sends any input with a valid token.
  it.each(['a bad token', 'no token'])('never accepts any request with %s, and never answers 5xx', async (kind) => {
    const headers: Record<string, string> = kind === 'no token' ? {} : { Authorization: 'Bearer a.b.c' }
    const known = fc.constantFrom('/token', ...COMMANDS.map(({ path }) => path))
    const odd = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text))
    const path = fc.oneof(
      known,
      known.map((each) => each.replaceAll(/\{\w+\}/g, '%00')),
      fc.tuple(known, odd).map(([each, text]) => each.replaceAll(/\{\w+\}/g, text)),
      fc
        .array(fc.oneof(odd, fc.constantFrom('..', '.', '', '%', '%2e%2e', '%E0%A4%A', '__proto__')))
        .map((parts) => `/${parts.join('/')}`),
    )
    const field = fc.constantFrom('sending_currency_code', 'sending_currency_amount', 'budget_currency_code', 'x')
    const value = fc.oneof(odd, fc.constantFrom('USD', 'SAT', '1', '9007199254740991', '%00', '%', '[]'))
    const query = fc.array(
      fc.tuple(field, value).map((pair) => pair.join('=')),
      { maxLength: 5 },
    )
    const method = fc.constantFrom('GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
    const extra = fc.dictionary(
      fc.constantFrom('accept', 'content-type', 'x-forwarded-for', 'cookie', 'range', 'if-none-match', 'x-y'),
      fc.stringMatching(/^[ -~]{0,40}$/),
    )
    let answered = 0
    await fc.assert(
      fc.asyncProperty(
        method,
        path,
        query,
        extra,
        fc.oneof(fc.json(), fc.string()),
        async (verb, to, pairs, more, body) => {
          const request = new Request(`${BASE}${to}?${pairs.join('&')}`, {
            method: verb,
            headers: { ...more, ...headers },
            ...(verb === 'GET' || verb === 'HEAD' ? {} : { body }),
          })
          const { status, headers: replied } = await vasp.api(request)
          answered += 1
          expect(status, `${verb} ${to}`).toBeLessThan(500)
          expect([200, 403], `${verb} ${to}`).not.toContain(status)
          expect(replied.get('cache-control')).toBe('no-store')
        },
      ),
      { numRuns: 300 },
    )
    expect(answered).toBeGreaterThanOrEqual(300)
  })
})

describeOnPostgres('two instances on one database', (server) => {
  it('see each other’s revocations, suspensions and exchanges at the next call', async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const first = await openPatiently(databaseUrl)
    const second = await openPatiently(databaseUrl)
    try {
      await seedUsers(first, 'sandbox', testPasswords)
      const here = await makeTestVasp(first)
      const there = await makeTestVasp(second, {}, here.pair)
      const [token, other] = [await here.connectionToken('alice'), await here.connectionToken('bob')]
      for (const vasp of [here, there]) expect((await vasp.get('/info', token)).status).toBe(200)
      await revoke(here, token)
      expect((await there.get('/info', token)).status).toBe(401)
      await here.app.db.query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = 'bob'` })
      expect((await there.get('/info', other)).status).toBe(401)

      const login = await here.loginToken('yuki')
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 === 0 ? here : there).exchange(login, { permissions: ['get_info'] }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
    } finally {
      await Promise.all([first.close(), second.close()])
    }
  })
})
