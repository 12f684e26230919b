import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const claimsOf = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

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
