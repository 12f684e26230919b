import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { makeProtocol } from './protocol'

const claimsOf = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

describeOnBothEngines('the token exchange', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  it('issues the token of a stored connection with the granted permissions', async () => {
    const { status, body } = await vasp.exchange(await vasp.loginToken('alice'), {
      permissions: ['get_balance', 'get_transactions', 'nonsense'],
    })
    expect(status).toBe(200)
    const claims = claimsOf(body.token)
    expect(claims).toMatchObject({
      sub: 'alice',
      iss: 'localhost:3000',
      aud: 'localhost:3000',
      address: '$alice@localhost:3000',
      token_use: 'connection',
    })
    expect(claims.scope).toBe('get_info get_budget get_balance list_transactions')
    expect(claims).not.toHaveProperty('exp')
    const stored = await db().prisma.connection.findUnique({ where: { id: String(claims.jti) } })
    expect(stored).toMatchObject({
      userId: 'alice',
      permissions: ['get_info', 'get_budget', 'get_balance', 'list_transactions'],
      revokedAt: null,
      expiresAt: null,
      // Without an app name, the seconds distinguish two connections created in one minute.
      name: expect.stringMatching(/^Connection of \d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/) as string,
    })
  })

  it.each([
    ['numbers', { permissions: [1] }],
    ['empty names', { permissions: [''] }],
    ['an empty body', ''],
    ['a deep body', '['.repeat(20_000)],
  ])('answers 400 without valid permissions: %s', async (_why, body) => {
    expect(await vasp.exchange(await vasp.loginToken('alice'), body)).toMatchObject({
      status: 400,
      body: { error: 'Permissions are required.' },
    })
  })

  it.each(['2030-01-01T00:00:00Z', inSeconds(600) * 1000, 1e21, []])(
    'refuses the expiration %j',
    async (expiration) => {
      const { status, body } = await vasp.exchange(await vasp.loginToken('alice'), {
        permissions: ['get_info'],
        expiration,
      })
      expect(status).toBe(400)
      expect(Object.keys(body)).toEqual(['error'])
    },
  )

  it('refuses an expiration in the current second, and accepts the next second', async () => {
    const nowSeconds = inSeconds(0)
    const clock = { now: () => new Date(nowSeconds * 1000 + 999) }
    const { app } = vasp
    const later = makeProtocol({ ...app, clock })
    const statusFor = async (expiration: number): Promise<number> =>
      (
        await later.fetch(
          new Request(`${app.settings.publicOrigin}${app.settings.apiBasePath}/token`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${await vasp.loginToken('alice')}` },
            body: JSON.stringify({ permissions: ['get_info'], expiration }),
          }),
        )
      ).status
    expect([await statusFor(nowSeconds), await statusFor(nowSeconds + 1)]).toEqual([400, 200])
  })

  it('refuses a connection token, even one with an expiration', async () => {
    const token = await vasp.loginToken('alice')
    for (const body of [{ permissions: ['get_info'] }, { permissions: ['get_info'], expiration: inSeconds(600) }]) {
      const connection = String((await vasp.exchange(token, body)).body.token)
      expect((await vasp.exchange(connection, body)).status).toBe(401)
    }
  })

  it('creates exactly twenty connections from one sign-in, even when forty are requested at once, and still answers /info', async () => {
    const token = await vasp.loginToken('yuki')
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => vasp.exchange(token, { permissions: ['get_info'] })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(20)
    expect(Object.keys(refused[0]?.body ?? {})).toEqual(['error'])
    // The login token has expired by then.
    expect(refused[0]?.headers.get('retry-after')).toBe('600')
    expect((await vasp.get('/info', token)).status).toBe(200)
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => claimsOf(body.token).jti))
    expect(ids.size).toBe(20)
  })

  it('refuses a suspended account at once, at the exchange and at the API', async () => {
    const login = await vasp.loginToken('khalid')
    const connection = await vasp.connectionToken('khalid')
    const set = (status: string): Promise<unknown> =>
      db().query({ name: 'test_status', text: `update users set status = $1 where id = 'khalid'` }, [status])
    await set('suspended')
    expect((await vasp.exchange(login, { permissions: ['get_info'] })).status).toBe(401)
    expect((await vasp.get('/info', connection)).status).toBe(401)
    await set('active')
    expect((await vasp.get('/info', connection)).status).toBe(200)
  })
})
