import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { makeProtocol } from '@/lib/backend/protocol'
import type { Clock } from '@/lib/platform/clock'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { connectRequest, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { endSession, openSession, userOfSession } from '../accounts/sessions/session-store'
import { answerConnect } from './connect'

const NOW = new Date()
const STILL: Clock = { now: () => NOW }
const CALLBACK = 'http://localhost:8080/auth/vasp_token_callback'

describeOnBothEngines('the login redirect', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  async function sessionOf(username: string) {
    const sessionId = crypto.randomUUID()
    await openSession(db(), sessionId, username)
    const user = await userOfSession(db(), sessionId)
    return user === undefined ? null : { sessionId, ...user }
  }

  const grants = (): Promise<number> => db().prisma.loginGrant.count()
  const connect = (
    query: Record<string, string>,
    session: Awaited<ReturnType<typeof sessionOf>>,
    from = vasp,
    browser = 'secret-of-this-browser',
  ): Promise<Response> =>
    answerConnect(from.app, from.auth, connectRequest(query), { readSession: async () => session, binding: browser })

  /** The same VASP, this many seconds after `STILL`. */
  function at(seconds: number, from = vasp): TestVasp {
    const app = { ...from.app, clock: { now: () => new Date(STILL.now().getTime() + seconds * 1_000) } }
    return { ...from, app, auth: makeProtocol(app) }
  }

  /** The gateway's request as `/connect` keeps it for a browser that is signed out, at `STILL`. */
  async function pendingOf(redirectUri: string, from = vasp, browser = 'secret-of-this-browser'): Promise<string> {
    const response = await connect({ redirect_uri: redirectUri }, null, at(0, from), browser)
    return (response.headers.get('location') ?? '').split('pending=')[1] ?? ''
  }

  it('redirects a signed-in user back with a stored login token', async () => {
    const before = await grants()
    const response = await connect(
      { redirect_uri: `${CALLBACK}?redirect_uri=https%3A%2F%2Fshop.example%2Fcb&client_id=npub1` },
      await sessionOf('alice'),
    )
    const token = new URL(response.headers.get('location') ?? '').searchParams.get('token') ?? ''
    expect([response.status, await grants()]).toEqual([303, before + 1])
    const claims = await vasp.auth.tokens.verify(token)
    expect(claims).toMatchObject({ use: 'login', userId: 'alice' })
    expect(await db().prisma.loginGrant.findUnique({ where: { id: claims?.id ?? '' } })).toMatchObject({
      appHost: 'shop.example',
      appClientId: 'npub1',
    })
    expect(vasp.logged.join('')).not.toContain(token.slice(0, 40))
  })

  it('sends a signed-out user to the sign-in page with the signed request, and issues no token', async () => {
    const before = await grants()
    const response = await connect({ redirect_uri: CALLBACK }, null)
    const location = response.headers.get('location') ?? ''
    expect([response.status, await grants()]).toEqual([303, before])
    expect(location).toMatch(/^\/login\?pending=/)
    expect(await vasp.auth.login.read(location.split('pending=')[1] ?? '', 'secret-of-this-browser')).toMatchObject({
      gatewayOrigin: 'http://localhost:8080',
      returnPath: '/auth/vasp_token_callback',
    })
  })

  const refused = async (response: Response): Promise<void> =>
    expect([response.status, await response.text(), response.headers.get('location')]).toEqual([
      400,
      'Invalid redirect_uri',
      null,
    ])

  it('refuses a request from another gateway or one signed with another secret', async () => {
    const another = await makeTestVasp(db(), { GATEWAY_ROOT_URL: 'https://evil.example' })
    const forger = await makeTestVasp(db(), { NEXTAUTH_SECRET: 'another secret of thirty-two chars' })
    const evil = await pendingOf('https://evil.example/cb', another)
    for (const pending of [evil, await pendingOf(CALLBACK, forger), 'x', ''])
      await refused(await connect({ pending }, await sessionOf('alice')))
  })

  it('sends a user whose sign-in took longer than 10 minutes to a page that explains why, and issues no token', async () => {
    const alice = await sessionOf('alice')
    const pending = await pendingOf(CALLBACK)
    const before = await grants()
    const late = await connect({ pending }, alice, at(10 * 60))
    expect([late.status, late.headers.get('location'), await grants()]).toEqual([
      303,
      `/login?pending=${pending}`,
      before,
    ])
    expect(await at(10 * 60).auth.login.read(pending, 'secret-of-this-browser')).toBe('expired')
    const inTime = await connect({ pending }, alice, at(10 * 60 - 1))
    expect(inTime.headers.get('location')).toMatch(/^http:\/\/localhost:8080\//)
  })

  it('refuses an expired request that is also invalid, as it refuses any other invalid request', async () => {
    const alice = await sessionOf('alice')
    const late = at(10 * 60)
    const forger = await makeTestVasp(db(), { NEXTAUTH_SECRET: 'another secret of thirty-two chars' })
    const another = await makeTestVasp(db(), { GATEWAY_ROOT_URL: 'https://evil.example' })
    const pending = await pendingOf(CALLBACK)
    const queries: Record<string, string>[] = [
      { pending: await pendingOf(CALLBACK, forger) },
      { pending: await pendingOf('https://evil.example/cb', another) },
      { pending: await pendingOf(CALLBACK, vasp, 'secret-of-another-browser') },
      { pending: `${pending.slice(0, -2)}xx` },
      { pending, redirect_uri: CALLBACK },
    ]
    for (const query of queries) await refused(await connect(query, alice, late))
  })

  it('asks the user to choose when the app names another user of this VASP, and not for an unknown name', async () => {
    const alice = await sessionOf('alice')
    const asks = async (name: string): Promise<string> =>
      (await connect({ redirect_uri: `${CALLBACK}?uma_username=${name}` }, alice)).headers.get('location') ?? ''
    expect(await asks('bob')).toMatch(/^\/login\?pending=/)
    expect(await asks('alice')).toMatch(/^http:\/\/localhost:8080\//)
    expect(await asks('stranger')).toMatch(/^http:\/\/localhost:8080\//)
    expect(await asks('$bob@evil.example')).toMatch(/^http:\/\/localhost:8080\//)
  })

  it('continues a request only in the browser that started it', async () => {
    const alice = await sessionOf('alice')
    const first = await connect({ redirect_uri: `${CALLBACK}?uma_username=bob` }, alice)
    const pending = first.headers.get('location')?.split('pending=')[1] ?? ''
    expect((await connect({ pending }, alice)).headers.get('location')).toMatch(/^http:\/\/localhost:8080\//)
    const before = await grants()
    for (const other of ['secret-of-another-browser', '']) await refused(await connect({ pending }, alice, vasp, other))
    expect(await grants()).toBe(before)
  })

  it('issues a token only for the user that the page offered to continue as', async () => {
    const pending = await pendingOf(CALLBACK)
    const leadsTo = async (as: string): Promise<string> =>
      (await connect({ pending, as }, await sessionOf('alice'))).headers.get('location') ?? ''
    expect(await leadsTo('alice')).toMatch(/^http:\/\/localhost:8080\//)
    const before = await grants()
    expect(await leadsTo('bob')).toMatch(/^\/login\?pending=/)
    expect(await grants()).toBe(before)
  })

  it('answers 500 without a signing key, and redirects to no gateway', async () => {
    const keyless = await makeTestVasp(db(), { JWT_PRIVATE_KEY: '' }, vasp.pair)
    const before = await grants()
    const response = await connect({ redirect_uri: CALLBACK }, await sessionOf('alice'), keyless)
    expect([response.status, await response.text(), await grants()]).toEqual([
      500,
      'JWT private key not configured',
      before,
    ])
  })

  it('refuses an account that was suspended after it signed in', async () => {
    const penny = await sessionOf('penny')
    const before = await grants()
    const response = await connect({ redirect_uri: CALLBACK }, penny === null ? null : { ...penny, suspended: true })
    expect([response.status, response.headers.get('location'), await grants()]).toEqual([403, null, before])
  })

  it('ends a session permanently: its row no longer names a user', async () => {
    const session = await sessionOf('bob')
    await endSession(db(), session?.sessionId ?? '')
    expect(await userOfSession(db(), session?.sessionId ?? '')).toBeUndefined()
  })

  it('logs each refused redirect_uri with the requested origin and the gateway’s, and no secret', async () => {
    vasp.logged.length = 0
    for (const redirect_uri of [
      'https://evil.example/cb?token=secret-1',
      encodeURIComponent('http://alice:secret-2@localhost:9999/cb'),
      'http://localhost:8080:80/secret-3',
      'javascript:secret-4',
    ])
      expect((await connect({ redirect_uri }, await sessionOf('alice'))).status).toBe(400)
    expect((await connect({}, null)).status).toBe(400)
    const lines = vasp.logged.map((line) => JSON.parse(line) as { msg: string; asked: string; gateway: string })
    expect(lines.map(({ msg, asked, gateway }) => [msg, asked, gateway])).toEqual(
      ['https://evil.example', 'http://localhost:9999', 'not a web address', 'not a web address', 'none'].map(
        (asked) => ['login refused', asked, 'http://localhost:8080'],
      ),
    )
    expect(vasp.logged.join('')).not.toContain('secret-')
  })
})
