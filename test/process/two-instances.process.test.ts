import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { NO_POSTGRES, startTestPostgres, type TestPostgres } from '../databases/postgres'
import { startStack, userOf, type Stack } from '../stack/stack'

describe('two instances on the same PostgreSQL', () => {
  let postgres: TestPostgres | undefined
  const stacks: Stack[] = []
  let first: Stack
  let second: Stack

  beforeAll(async () => {
    postgres = await startTestPostgres()
    if (postgres === undefined) return
    const databaseUrl = await postgres.createDatabase()
    const start = async (keys: Readonly<Record<string, string>>): Promise<Stack> => {
      const environment = { DATABASE_URL: databaseUrl, RATE_LIMITS: 'on', ...keys }
      const stack = await startStack(environment, 'server.js', { alone: true })
      stacks.push(stack)
      return stack
    }
    first = await start({})
    // The second instance has the keys of the first: both are one VASP.
    const { JWT_PRIVATE_KEY = '', JWT_PUBLIC_KEY = '', NEXTAUTH_SECRET = '', ...rest } = first.settings
    const { VASP_DOMAIN = '', NEXTAUTH_URL = '' } = rest
    second = await start({ JWT_PRIVATE_KEY, JWT_PUBLIC_KEY, NEXTAUTH_SECRET, VASP_DOMAIN, NEXTAUTH_URL })
  })
  beforeEach(({ skip }) => skip(postgres === undefined, NO_POSTGRES))
  afterAll(async () => {
    await Promise.all(stacks.map((stack) => stack.stop()))
    await postgres?.stop()
  })

  it('a revocation takes effect at the next call to the other instance', async () => {
    const user = userOf(first)
    const token = await fetchToken({ ...user, permissions: ['get_info'] })
    const ask = async (origin: string): Promise<number> =>
      (await fetch(`${origin}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${token}` } })).status
    expect([await ask(first.vaspOrigin), await ask(second.vaspOrigin)]).toEqual([200, 200])
    await fetch(`${first.vaspOrigin}/connections/revoke-today`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: await signIn(user), Origin: first.vaspOrigin },
      body: new URLSearchParams({ form_user: user.username }),
    })
    expect([await ask(second.vaspOrigin), await ask(first.vaspOrigin)]).toEqual([401, 401])
  })

  it('after five wrong passwords at one instance, sign-ins at the other wait too, except in a browser that signed in before', async () => {
    const { origin, host } = new URL(first.settings.NEXTAUTH_URL ?? '')
    const post = async (at: Stack, password: string, browser = ''): Promise<IncomingMessage> => {
      const [csrf, text] = await askAs(at, host, { path: '/api/auth/csrf' })
      const { csrfToken } = JSON.parse(text) as { csrfToken: string }
      const body = new URLSearchParams({ csrfToken, username: 'khalid', password })
      const headers = { Cookie: [...cookiesOf(csrf), browser].join('; '), Origin: origin }
      const [answer] = await askAs(at, host, { path: '/api/auth/callback/credentials', headers, body })
      return answer
    }
    const errorOf = (answer: IncomingMessage): string | null =>
      new URL(answer.headers.location ?? '', origin).searchParams.get('error')

    const signedIn = await post(first, 'sandbox')
    expect(errorOf(signedIn)).toBeNull()
    const browser = cookiesOf(signedIn).find((each) => each.startsWith('northbank.browser=')) ?? ''
    for (let count = 0; count < 5; count++) expect(errorOf(await post(first, 'wrong'))).toBe('CredentialsSignin')
    // A few more guesses make the wait long enough for a slow machine. The other instance checks at most three.
    let checked = 0
    const guess = async (): Promise<string | null> => {
      const error = errorOf(await post(second, 'wrong'))
      if (error === 'CredentialsSignin') checked += 1
      return error
    }
    await expect.poll(guess, { interval: 500 }).toMatch(/^TooManyTries-([6-9]|\d\d)/)
    expect(checked).toBeLessThanOrEqual(3)
    expect(errorOf(await post(second, 'sandbox'))).toMatch(/^TooManyTries-/)
    const known = await post(second, 'sandbox', browser)
    expect(errorOf(known)).toBeNull()
    expect(cookiesOf(known).join()).toContain('northbank.session=')
    expect(errorOf(await post(first, 'sandbox'))).toMatch(/^TooManyTries-/)
  })
})

/** Sends a request to an instance as a proxy does: with the public host, which `fetch` cannot set. */
async function askAs(
  { vaspOrigin }: Stack,
  host: string,
  { path, headers = {}, body }: { path: string; headers?: Readonly<Record<string, string>>; body?: URLSearchParams },
): Promise<[IncomingMessage, string]> {
  const form = String(body ?? '')
  const sent = request(new URL(path, vaspOrigin), {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Host: host,
      ...headers,
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(form.length) }),
    },
  }).end(form)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return [answer, await readText(answer)]
}

function cookiesOf({ headers }: IncomingMessage): string[] {
  return (headers['set-cookie'] ?? []).map((each) => each.split(';', 1)[0] ?? '')
}
