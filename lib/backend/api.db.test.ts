import { COMMANDS } from 'uma-auth-vasp'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { OUR_TOKEN_FAULTS, signAny } from '@/packages/uma-auth-vasp/test/token-faults'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { testPasswords } from '@/test/vasp/passwords'
import { whileSpent } from '@/test/vasp/spend'
import { idOf, makeTestVasp, onDatabase, read, type TestVasp } from '@/test/vasp/vasp'

const UNAUTHORIZED = { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' }
const ESTIMATE = '/budget_estimate?sending_currency_code=USD&sending_currency_amount=100&budget_currency_code=SAT'

function pathOf(template: string): string {
  return template.replace('{payment_hash}', 'ab'.repeat(32)).replace('{receiver_address}', '$bob@localhost:3000')
}

/** The status of a granted call without input: 200 where none is needed, 404 for an unknown hash, 400 for missing input. */
function statusOf(name: string): number {
  if (['get_info', 'get_balance', 'list_transactions', 'lookup_user'].includes(name)) return 200
  return name === 'lookup_invoice' ? 404 : 400
}

describeOnBothEngines('the gateway API', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  const call = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> =>
    vasp.api(new Request(`http://localhost:3000/umanwc/v1${path}`, { method, headers })).then(read)

  describe.each(COMMANDS)('$method $path', ({ name, method, path, alwaysGranted }) => {
    const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` })

    it('refuses a missing token, a revoked token and, except for get_info, a login token', async () => {
      expect(await call(method, pathOf(path))).toMatchObject({ status: 401, body: UNAUTHORIZED })
      const login = await call(method, pathOf(path), bearer(await vasp.loginToken('alice')))
      expect(login.status).toBe(name === 'get_info' ? 200 : 401)
      const revoked = await vasp.connectionToken('alice', [name])
      await db().query({
        name: 'test_revoke',
        text: `update connections set revoked_at = now() where user_id = 'alice' and revoked_at is null`,
      })
      expect(await call(method, pathOf(path), bearer(revoked))).toMatchObject({ status: 401, body: UNAUTHORIZED })
    })

    it('accepts the scope it needs and no other', async () => {
      const granted = await call(method, pathOf(path), bearer(await vasp.connectionToken('alice', [name])))
      const other = await call(method, pathOf(path), bearer(await vasp.connectionToken('alice', ['get_info'])))
      expect(granted.status).toBe(statusOf(name))
      expect(other.status).toBe(alwaysGranted ? granted.status : 403)
      if (!alwaysGranted) expect(other.body.code).toBe('RESTRICTED')
    })
  })

  const claimsFor = (sub: string, jti: string) => ({
    sub,
    jti,
    token_use: 'connection',
    scope: 'get_balance',
    iss: 'localhost:3000',
    aud: 'localhost:3000',
  })

  it.each([
    ['was never stored', async () => crypto.randomUUID()],
    ['has the id of another user’s connection', async () => idOf(await vasp.connectionToken('bob', ['get_balance']))],
  ])('refuses a validly signed token that %s', async (_, makeId) => {
    const token = signAny(claimsFor('alice', await makeId()), vasp.pair.privatePem)
    expect(await vasp.get('/balance', token)).toMatchObject({ status: 401, body: UNAUTHORIZED })
  })

  it('gives currencies in the user’s order of preference, the default first', async () => {
    const { status, body, headers } = await vasp.get('/info', await vasp.loginToken('alice'))
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({
      alias: 'Northbank',
      network: 'regtest',
      lud16: '$alice@localhost:3000',
      methods: COMMANDS.map((each) => each.name),
    })
    const currencies = body.currencies as {
      currency: { code: string; decimals: number }
      multiplier: number
      min: number
      max: number
    }[]
    expect(currencies.map(({ currency }) => currency.code)).toEqual(['USD', 'EUR', 'SAT'])
    expect(currencies[2]).toMatchObject({ multiplier: 1_000, min: 1 })
    expect(Object.keys(body)).not.toContain('balance')
  })

  it.each([
    ['signet', 'signet'],
    ['simnet', 'regtest'],
  ] as const)('gives the network of a node on %s as %s', async (network, word) => {
    const node = makeScriptedNode()
    const other = await makeTestVasp(db(), {}, vasp.pair, { ...node, identity: { ...node.identity, network } })
    expect((await other.get('/info', await other.loginToken('alice'))).body.network).toBe(word)
    await other.app.node.close()
  })

  it.each([
    ['USD', '100', 'SAT', 1_000],
    ['SAT', '1', 'USD', 2],
    ['SAT', '11', 'USD', 3],
    ['USD', '100', 'USD', 100],
    ['KWD', '1000', 'JPY', 502],
    ['NGN', '1', 'KWD', 1],
  ])('estimates %s %s in %s as %s', async (from, amount, to, expected) => {
    const path = `/budget_estimate?sending_currency_code=${from}&sending_currency_amount=${amount}&budget_currency_code=${to}`
    expect(await vasp.get(path, await vasp.connectionToken('alice'))).toMatchObject({
      status: 200,
      body: { estimated_budget_currency_amount: expected },
    })
  })

  const BAD_AMOUNTS = [
    '0',
    '-1',
    '1.5',
    '1e3',
    '%C2%B2',
    '%EF%BC%91%EF%BC%90',
    '0x10',
    '%2B1',
    '%201',
    '9007199254740992',
    'NaN',
    '',
    '1&sending_currency_amount=2',
  ]
  it.each(BAD_AMOUNTS)('refuses the amount %j without a 5xx', async (amount) => {
    const path = `/budget_estimate?sending_currency_code=USD&sending_currency_amount=${amount}&budget_currency_code=SAT`
    expect(await vasp.get(path, await vasp.connectionToken('alice'))).toMatchObject({
      status: 400,
      body: { code: 'OTHER' },
    })
  })

  it('refuses an estimate beyond the integers that JSON represents exactly', async () => {
    const path = `/budget_estimate?sending_currency_code=KWD&sending_currency_amount=${Number.MAX_SAFE_INTEGER}&budget_currency_code=NGN`
    expect(await vasp.get(path, await vasp.connectionToken('alice'))).toMatchObject({
      status: 400,
      body: { code: 'OTHER' },
    })
  })

  it('sends no query to the database for an invalid token', async () => {
    const silent = new Proxy(db(), { get: () => () => Promise.reject(new Error('the database was asked')) })
    const alone = onDatabase(vasp, silent)
    expect((await alone.get('/info', 'a.b.c')).status).toBe(401)
    expect((await alone.get('/info', signAny({ sub: 'alice' }, vasp.pair.privatePem))).status).toBe(401)
    const domain = 'localhost:3000'
    const claims = { ...claimsFor('alice', 'any'), exp: Math.floor(Date.now() / 1000) + 600 }
    for (const { make, why } of OUR_TOKEN_FAULTS) {
      const good = { ...vasp.pair, domain }
      expect((await alone.get('/balance', await make({ ...good, claims }))).status, why).toBe(401)
      const login = await make({ ...good, claims: { ...claims, token_use: 'login' } })
      expect(await alone.exchange(login, { permissions: ['get_info'] }), why).toMatchObject({
        status: 401,
        body: { error: 'Unauthorized' },
      })
    }
  })

  it('reports that the database does not answer, without details', async () => {
    const broken = {
      ...db(),
      query: () =>
        Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' })),
    }
    const answer = await onDatabase(vasp, broken).get('/info', await vasp.loginToken('alice'))
    expect(answer).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify(answer.body)).not.toContain('10.1.2.3')
  })

  it('serves only its allowed networks when they are set, and ignores X-Forwarded-For unless a trusted proxy sends it', async () => {
    const inside = await makeTestVasp(
      db(),
      { API_ALLOWED_NETWORKS: '10.0.0.0/8', TRUSTED_PROXIES: '192.168.0.1' },
      vasp.pair,
    )
    const from = async (remoteAddress: string | undefined, forwardedFor?: string): Promise<number> => {
      const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }
      return (
        await inside.api(new Request('http://localhost:3000/umanwc/v1/token', { method: 'POST', headers }), {
          remoteAddress,
        })
      ).status
    }
    expect(await from('10.1.2.3')).toBe(401)
    expect(await from('::ffff:10.1.2.3')).toBe(401)
    expect(await from('203.0.113.9')).toBe(403)
    expect(inside.logged.join('')).toMatch(/"address":"203\.0\.113\.9","msg":"refused/)
    expect(await from('203.0.113.9', '10.1.2.3')).toBe(403)
    expect(await from('192.168.0.1', '10.1.2.3')).toBe(401)
    expect(await from('192.168.0.1', '10.1.2.3, 203.0.113.9')).toBe(403)
    expect(await from('192.168.0.1', '10.1.2.3:5123')).toBe(401)
    expect(await from(undefined)).toBe(403)
    // The proxy is in the allowed networks, but the client is outside them or has no known address.
    const proxyInside = await makeTestVasp(
      db(),
      { API_ALLOWED_NETWORKS: '192.168.0.0/16', TRUSTED_PROXIES: '192.168.0.1' },
      vasp.pair,
    )
    for (const hop of ['203.0.113.9:5123', '[2001:db8::1]:44', 'unknown', ' ']) {
      const request = new Request('http://localhost:3000/umanwc/v1/info', { headers: { 'X-Forwarded-For': hop } })
      expect((await proxyInside.api(request, { remoteAddress: '192.168.0.1' })).status, hop).toBe(403)
    }
  })

  it('limits the rate of each token and says when to retry', async () => {
    const limited = await makeTestVasp(db(), { RATE_LIMITS: 'on' }, vasp.pair)
    const token = await limited.connectionToken('alice')
    const refused = await whileSpent(limited.app.limits, idOf(token), () => limited.get(ESTIMATE, token))
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await limited.get(ESTIMATE, await limited.connectionToken('bob'))).status).toBe(200)
  })

  it('writes neither tokens nor keys to its log', async () => {
    const token = await vasp.connectionToken('alice')
    await vasp.get('/info', token)
    vasp.app.log.error(
      { error: new Error(`choked on ${token}`), token, headers: { authorization: token, cookie: token } },
      'a failure',
    )
    expect(vasp.logged.join('')).not.toContain(token.slice(0, 40))
  })
})
