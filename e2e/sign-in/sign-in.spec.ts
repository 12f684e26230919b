import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'playwright/test'
import { signIn } from '../../sandbox/fetch-token'
import { vaspOrigin } from '../support/fixtures'
import { MEASURED, measured } from '../support/measured'

const MAX_ALIVE_MS = 1_000

const user = (username = 'alice') => ({
  vaspOrigin: vaspOrigin(),
  instance: 'northbank',
  username,
  password: 'sandbox',
})

async function csrf(): Promise<{ token: string; cookie: string }> {
  const response = await fetch(`${vaspOrigin()}/api/auth/csrf`)
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ')
  return { token: ((await response.json()) as { csrfToken: string }).csrfToken, cookie }
}

/** Posts the sign-in form as our own page does. */
async function post(fields: Record<string, string>, cookie: string): Promise<Response> {
  return fetch(`${vaspOrigin()}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie, Origin: vaspOrigin() },
    body: new URLSearchParams(fields),
  })
}

const opensPages = async (cookie: string): Promise<boolean> =>
  (await fetch(`${vaspOrigin()}/connections`, { headers: { Cookie: cookie }, redirect: 'manual' })).status === 200

test('a new sign-in in the same browser ends the previous session of that browser, and no other', async () => {
  const [first, elsewhere] = [await signIn(user()), await signIn(user())]
  expect([await opensPages(first), await opensPages(elsewhere)]).toEqual([true, true])
  const { token, cookie } = await csrf()
  const response = await post({ csrfToken: token, username: 'bob', password: 'sandbox' }, `${cookie}; ${first}`)
  const next = response.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ')
  expect(next).toContain('northbank.session=')
  expect([await opensPages(first), await opensPages(elsewhere), await opensPages(next)]).toEqual([false, true, true])
})

test('the sign-in library returns the session while it is open, and none after sign-out', async () => {
  const cookie = await signIn(user())
  const ask = async (): Promise<unknown> =>
    (await fetch(`${vaspOrigin()}/api/auth/session`, { headers: { Cookie: cookie } })).json()
  expect(await ask()).toMatchObject({ user: { name: 'alice' } })
  const out = await fetch(`${vaspOrigin()}/logout`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie, Origin: vaspOrigin() },
  })
  expect(out.status).toBe(303)
  expect(await ask()).toEqual({})
})

test('the sign-in library serves no log endpoint and no page of its own', async () => {
  const cookie = await signIn(user())
  for (const path of ['verify-request', '_log', 'callback/x', 'signin/credentials', '']) {
    const response = await fetch(`${vaspOrigin()}/api/auth/${path}`, {
      headers: { Cookie: cookie },
      redirect: 'manual',
    })
    expect([response.status, response.headers.getSetCookie()], path).toEqual([404, []])
  }
  const log = await fetch(`${vaspOrigin()}/api/auth/_log`, {
    method: 'POST',
    headers: { Origin: vaspOrigin() },
    body: new URLSearchParams({ level: 'error', code: 'canary', message: 'canary' }),
  })
  expect(log.status).toBe(404)
})

test('the error code in the URL can select only one of our own messages', async () => {
  for (const error of ['connect ECONNREFUSED 10.1.2.3', '<script>', 'x\r\ny', '//evil.example']) {
    const response = await fetch(`${vaspOrigin()}/api/auth/error?error=${encodeURIComponent(error)}`, {
      redirect: 'manual',
    })
    expect([response.status, response.headers.get('location')], error).toEqual([303, '/login?error=Failed'])
  }
  const refused = await post({ csrfToken: 'forged', username: 'alice', password: 'sandbox' }, '')
  const page = await fetch(refused.headers.get('location') ?? '', { redirect: 'manual' })
  expect([refused.headers.getSetCookie().join().includes('session'), page.headers.get('location')]).toEqual([
    false,
    '/login?error=Expired',
  ])
})

test(
  'a flood of sign-ins does not stop the server, and the right password still works afterwards',
  { tag: MEASURED },
  async () => {
    const alive = async (): Promise<number> => {
      const startedAt = performance.now()
      expect((await fetch(`${vaspOrigin()}/-/alive`)).status).toBe(200)
      return performance.now() - startedAt
    }
    const { token, cookie } = await csrf()
    const flood = spawn(
      process.execPath,
      ['--import', 'tsx', 'e2e/support/flood.ts', vaspOrigin(), token, cookie, '200'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let printed = ''
    flood.stdout.on('data', (chunk) => (printed += String(chunk)))
    const ended = once(flood, 'close')
    const times: number[] = []
    while (flood.exitCode === null) times.push(await alive())
    await ended
    const outcomes = JSON.parse(printed) as string[]
    // With all threads in use, it took over twenty seconds.
    measured('/-/alive during a flood of sign-ins, longest', Math.round(Math.max(...times)), MAX_ALIVE_MS)
    const turnedAway = outcomes.filter((outcome) => outcome === '503, retry after 5 s')
    expect(outcomes.filter((outcome) => outcome === 'CredentialsSignin').length).toBe(200 - turnedAway.length)
    expect(await opensPages(await signIn(user()))).toBe(true)
  },
)

test('a browser that signed in before is not locked out by wrong passwords from elsewhere', async () => {
  const { token, cookie } = await csrf()
  const khalid = { csrfToken: token, username: 'khalid', password: 'sandbox' }
  const first = await post(khalid, cookie)
  const set = first.headers.getSetCookie().find((each) => each.startsWith('northbank.browser=')) ?? ''
  expect(set.toLowerCase()).toContain('max-age=15552000')
  expect(set.toLowerCase()).toContain('httponly')
  expect(set.toLowerCase()).toContain('samesite=lax')
  const known = `${cookie}; ${set.split(';', 1)[0]}`
  for (let count = 0; count < 6; count++) await post({ ...khalid, password: 'wrong' }, cookie)
  const errorOf = async (cookies: string): Promise<string | null> => {
    const location = (await post(khalid, cookies)).headers.get('location') ?? ''
    return new URL(location, vaspOrigin()).searchParams.get('error')
  }
  expect(await errorOf(cookie)).toMatch(/^TooManyTries-/)
  expect(await errorOf(known)).toBeNull()
})
