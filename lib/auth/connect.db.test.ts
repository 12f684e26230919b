import { beforeAll, expect, it } from 'vitest'
import type { Clock } from '@/lib/clock'
import { seedPeople } from '@/lib/users/seed'
import { testPasswords } from '@/test/passwords'
import { describeOnBothEngines } from '@/test/databases'
import { makeTestVasp, type TestVasp } from '@/test/vasp'
import { answerConnect } from './connect'
import { chosenCallback, readAsk, signAsk } from './login-ask'
import { endSession, openSession, personOfSession } from './sessions'

const NOW = new Date()
const STILL: Clock = { now: () => NOW }
const CALLBACK = 'http://localhost:8080/auth/vasp_token_callback'

describeOnBothEngines('the login redirect', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedPeople(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  async function sessionOf(username: string) {
    const sessionId = crypto.randomUUID()
    await openSession(db(), sessionId, username)
    const person = await personOfSession(db(), sessionId)
    return person === undefined ? null : { sessionId, ...person }
  }

  const grants = (): Promise<number> => db().prisma.loginGrant.count()
  const connect = (
    query: Record<string, string>,
    session: Awaited<ReturnType<typeof sessionOf>>,
    from = vasp,
    browser = 'this-browser',
  ): Promise<Response> =>
    answerConnect(
      from.deps,
      new URLSearchParams(query),
      async () => session,
      async () => browser,
    )

  /** The same VASP, so many seconds after `STILL`. */
  const at = (seconds: number): TestVasp => ({
    ...vasp,
    deps: { ...vasp.deps, clock: { now: () => new Date(STILL.now().getTime() + seconds * 1_000) } },
  })

  /** What the form of the sign-in page leads to, shown at `STILL`. */
  async function chosenCallbackOf(redirectUri: string): Promise<string> {
    const { deps } = at(0)
    const ask = await readAsk(deps, await signAsk(deps, redirectUri), 'this-browser')
    if (ask === null) throw new Error('the request was not kept')
    return (await chosenCallback(deps, ask, 'this-browser')).split('ask=')[1] ?? ''
  }

  it('hands a signed-in person back with a stored login token', async () => {
    const before = await grants()
    const response = await connect(
      { redirect_uri: `${CALLBACK}?redirect_uri=https%3A%2F%2Fshop.example%2Fcb&client_id=npub1` },
      await sessionOf('alice'),
    )
    const token = new URL(response.headers.get('location') ?? '').searchParams.get('token') ?? ''
    expect([response.status, await grants()]).toEqual([303, before + 1])
    const claims = await vasp.deps.tokens.verify(token)
    expect(claims).toMatchObject({ use: 'login', username: 'alice' })
    expect(await db().prisma.loginGrant.findUnique({ where: { id: claims?.id ?? '' } })).toMatchObject({
      appHost: 'shop.example',
      appClientId: 'npub1',
    })
    expect(vasp.logged.join('')).not.toContain(token.slice(0, 40))
  })

  it('sends somebody who is signed out to the sign-in page, with the request signed and nothing minted', async () => {
    const before = await grants()
    const response = await connect({ redirect_uri: CALLBACK }, null)
    const location = response.headers.get('location') ?? ''
    expect([response.status, await grants()]).toEqual([303, before])
    expect(location).toMatch(/^\/login\?ask=/)
    expect(await readAsk(vasp.deps, location.split('ask=')[1], 'this-browser')).toMatchObject({
      redirectUri: CALLBACK,
      gatewayOrigin: 'http://localhost:8080',
      chosen: false,
    })
  })

  it('refuses a request that was signed for another gateway, or with another secret', async () => {
    const evil = await signAsk(vasp.deps, 'https://evil.example/cb', 'this-browser')
    const forged = await signAsk(
      (await makeTestVasp(db(), { NEXTAUTH_SECRET: 'another secret of thirty-two chars' })).deps,
      CALLBACK,
      'this-browser',
    )
    for (const ask of [evil, forged, 'x', '']) {
      const response = await connect({ ask }, await sessionOf('alice'))
      expect([response.status, await response.text(), response.headers.get('location')]).toEqual([
        400,
        'Invalid redirect_uri',
        null,
      ])
    }
  })

  it('leads a person whose sign-in took longer than 15 minutes back to the page that says so, with nothing minted', async () => {
    const alice = await sessionOf('alice')
    const ask = await chosenCallbackOf(CALLBACK)
    const before = await grants()
    const late = await connect({ ask }, alice, at(15 * 60))
    expect([late.status, late.headers.get('location'), await grants()]).toEqual([303, `/login?ask=${ask}`, before])
    expect(await readAsk(at(15 * 60).deps, ask, 'this-browser')).toBeNull()
    const inTime = await connect({ ask }, alice, at(15 * 60 - 1))
    expect(inTime.headers.get('location')).toMatch(/^http:\/\/localhost:8080\//)
  })

  it('an old request is refused like any other when something else is wrong with it too', async () => {
    const alice = await sessionOf('alice')
    const late = at(15 * 60)
    const forger = await makeTestVasp(db(), { NEXTAUTH_SECRET: 'another secret of thirty-two chars' })
    const ask = await chosenCallbackOf(CALLBACK)
    const forged = await signAsk({ ...forger.deps, clock: STILL }, CALLBACK)
    const evil = await signAsk({ ...vasp.deps, clock: STILL }, 'https://evil.example/cb')
    const tampered = `${ask.slice(0, -2)}xx`
    const queries: Record<string, string>[] = [{ ask: forged }, { ask: evil }, { ask: tampered }]
    for (const query of [...queries, { ask, redirect_uri: CALLBACK }]) {
      const response = await connect(query, alice, late)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    }
  })

  it('asks again when the app names another person of this VASP, and not when it names nobody it knows', async () => {
    const alice = await sessionOf('alice')
    const asks = async (name: string): Promise<string> =>
      (await connect({ redirect_uri: `${CALLBACK}?uma_username=${name}` }, alice)).headers.get('location') ?? ''
    expect(await asks('bob')).toMatch(/^\/login\?ask=/)
    expect(await asks('alice')).toMatch(/^http:\/\/localhost:8080\//)
    expect(await asks('stranger')).toMatch(/^http:\/\/localhost:8080\//)
    expect(await asks('$bob@evil.example')).toMatch(/^http:\/\/localhost:8080\//)
  })

  it('takes a choice for made only in the browser in which it was made', async () => {
    const alice = await sessionOf('alice')
    const first = await connect({ redirect_uri: `${CALLBACK}?uma_username=bob` }, alice)
    const ask = await readAsk(vasp.deps, first.headers.get('location')?.split('ask=')[1], 'this-browser')
    if (ask === null) throw new Error('the request was not kept')
    const query = { ask: (await chosenCallback(vasp.deps, ask, 'this-browser')).split('ask=')[1] ?? '' }
    const leadsTo = async (browser: string): Promise<string> =>
      (await connect(query, alice, vasp, browser)).headers.get('location') ?? ''
    expect(await leadsTo('this-browser')).toMatch(/^http:\/\/localhost:8080\//)
    for (const other of ['another-browser', '']) expect(await leadsTo(other)).toMatch(/^\/login\?ask=/)
    // A page shown to a browser without the cookie makes no choice that fits every other browser without it.
    const unbound = { ask: (await chosenCallback(vasp.deps, ask, '')).split('ask=')[1] ?? '' }
    expect((await connect(unbound, alice, vasp, '')).headers.get('location')).toMatch(/^\/login\?ask=/)
  })

  it('hands over nobody but the person whom the page offered to continue as', async () => {
    const ask = await chosenCallbackOf(CALLBACK)
    const leadsTo = async (as: string): Promise<string> =>
      (await connect({ ask, as }, await sessionOf('alice'))).headers.get('location') ?? ''
    expect(await leadsTo('alice')).toMatch(/^http:\/\/localhost:8080\//)
    const before = await grants()
    expect(await leadsTo('bob')).toMatch(/^\/login\?ask=/)
    expect(await grants()).toBe(before)
  })

  it('without a signing key answers 500 and redirects nobody half-way', async () => {
    const keyless = await makeTestVasp(db(), { JWT_PRIVATE_KEY: '' }, vasp.pair)
    await expect(connect({ redirect_uri: CALLBACK }, await sessionOf('alice'), keyless)).rejects.toMatchObject({
      status: 500,
      message: 'JWT private key not configured',
    })
  })

  it('turns away an account that was suspended after it signed in', async () => {
    const penny = await sessionOf('penny')
    const before = await grants()
    const response = await connect({ redirect_uri: CALLBACK }, penny === null ? null : { ...penny, suspended: true })
    expect([response.status, response.headers.get('location'), await grants()]).toEqual([403, null, before])
  })

  it('ends a session for good: its row no longer names a person', async () => {
    const session = await sessionOf('bob')
    await endSession(db(), session?.sessionId ?? '')
    expect(await personOfSession(db(), session?.sessionId ?? '')).toBeUndefined()
  })

  it('writes a line for each refused redirect_uri with the origin asked for and the gateway’s, and no secret', async () => {
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
