import { expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { sessionOfRequest } from '@/lib/accounts/sessions/current-user'
import { openBrowserSession } from '@/lib/accounts/sessions/open-session'
import { teamCookie } from '@/lib/accounts/sign-in/team-gate'
import { CLIENT_ADDRESS_HEADER } from '@/lib/platform/http/networks'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp } from '@/test/vasp/vasp'
import { POST as newUser } from '../sandbox/forms/new-user/route'
import { POST as team } from './team/route'

const jar = vi.hoisted(() => new Map<string, string>())
vi.mock('next/headers', () => ({
  cookies: async () => ({
    get: (name: string) => (jar.has(name) ? { value: jar.get(name) } : undefined),
    set: (name: string, value: string) => jar.set(name, value),
  }),
}))

const ORIGIN = 'http://localhost:3000'
const PRIVATE = { SANDBOX_TOOLS: 'private', SANDBOX_TEAM_PASSWORD: 'the team of this test' }
const BACK = [
  `${ORIGIN}//evil.example`,
  '/.//evil.example',
  '//evil.example/x',
  String.raw`/\evil.example`,
  '/%2e//evil.example/?a=b',
  `${ORIGIN}/x/..//evil.example`,
  '/login?pending=abc&back=//evil.example',
]

describeOnBothEngines('The forms of the sign-in page', (db) => {
  const serve = async (env: Readonly<Record<string, string>>) => {
    const { app } = await makeTestVasp(db(), env)
    processSingletons().set('application', app)
    processSingletons().delete('new-user-limiter')
    jar.clear()
    return app
  }
  const post = async (handle: typeof team, fields: Readonly<Record<string, string>>) => {
    const response = await handle(
      new Request(`${ORIGIN}/login`, {
        method: 'POST',
        headers: {
          Origin: ORIGIN,
          'Content-Type': 'application/x-www-form-urlencoded',
          [CLIENT_ADDRESS_HEADER]: '203.0.113.7',
        },
        body: new URLSearchParams(fields),
      }),
    )
    expect(response.status).toBe(303)
    return new URL(response.headers.get('location') ?? '', ORIGIN)
  }

  it.each(BACK)('lead to this site only, with the team password and without it: %s', async (back) => {
    await serve(PRIVATE)
    const wrong = await post(team, { back, team_password: 'wrong' })
    expect([wrong.origin, wrong.searchParams.get('team')]).toEqual([ORIGIN, 'wrong'])
    expect((await post(team, { back, team_password: PRIVATE.SANDBOX_TEAM_PASSWORD })).origin).toBe(ORIGIN)
  })

  it.each(BACK)('lead to this site only when no user is created: %s', async (back) => {
    const app = await serve({ RATE_LIMITS: 'on', SANDBOX_USERS_PER_MINUTE: '1' })
    expect((await post(newUser, { back, callbackUrl: back })).origin).toBe(ORIGIN)
    const refused = await post(newUser, { back, callbackUrl: back })
    expect(refused.origin).toBe(ORIGIN)
    expect(refused.searchParams.get('error')).toMatch(/^TooManyUsers-\d+$/)
    expect(app.settings.publicOrigin).toBe(ORIGIN)
  })

  it('end every session at a new team password, and none at a restart with the same one', async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const before = await serve(PRIVATE)
    await openBrowserSession(before, 'alice')
    expect(await sessionOfRequest(before)).toMatchObject({ username: 'alice' })
    const cookies = new Map(jar)
    const again = await serve(PRIVATE)
    for (const [name, value] of cookies) jar.set(name, value)
    expect(await sessionOfRequest(again)).toMatchObject({ username: 'alice' })
    for (const env of [{ ...PRIVATE, SANDBOX_TEAM_PASSWORD: 'another team, later' }, { SANDBOX_TOOLS: 'off' }]) {
      const after = await serve(env)
      for (const [name, value] of cookies) jar.set(name, value)
      expect(await sessionOfRequest(after)).toBeNull()
    }
    expect(teamCookie(before.settings)).toBe(teamCookie(again.settings))
  })
})
