import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorCredential } from '@/lib/audit/operator-request'
import { signIn } from '../../sandbox/shared/fetch-token'
import { nwcClient } from '../gateway/gateway'
import { pairByHand } from '../gateway/pair-by-hand'
import { floodConnection, floodSignIns } from '../programs/flood'
import type { Ran } from '../programs/run-script'
import { runUsers } from '../programs/users-command'
import { environmentOf, startStack, userOf, type Stack } from '../stack/stack'

/** More than the server queues. */
const SIGN_INS = 80
/** More than the gateway queues for one connection. */
const CALLS = 300

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.stop())

const vaspOrigin = (): string => stack.vaspOrigin
const user = () => userOf(stack)

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

it('a new sign-in in the same browser ends the previous session of that browser, and no other', async () => {
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

it('the sign-in library returns the session while it is open, and none after sign-out', async () => {
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

it('the sign-in library serves no log endpoint and no page of its own', async () => {
  const cookie = await signIn(user())
  for (const path of ['/verify-request', '/_log', '/callback/x', '/signin/credentials']) {
    const response = await fetch(`${vaspOrigin()}/api/auth${path}`, {
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

it('the error code in the URL can select only one of our own messages', async () => {
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

it('a flood of sign-ins does not stop the server, and the right password still works afterwards', async () => {
  const { answers } = await floodSignIns(vaspOrigin(), SIGN_INS, async () => {
    expect((await fetch(`${vaspOrigin()}/-/alive`)).status).toBe(200)
  })
  expect(answers).toHaveLength(SIGN_INS)
  const turnedAway = answers.filter((answer) => answer === '503, retry after 5 s')
  expect(answers.filter((answer) => answer === 'CredentialsSignin')).toHaveLength(SIGN_INS - turnedAway.length)
  expect(await opensPages(await signIn(user()))).toBe(true)
})

it('a browser that signed in before is not locked out by wrong passwords from elsewhere', async () => {
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

it('a flood on one connection stops no other connection, and each call of the flood gets an answer', async () => {
  const loud = await pairByHand(stack, 'alice')
  const quiet = await nwcClient(await pairByHand(stack, 'bob'))
  const { answers } = await floodConnection(loud, CALLS, async () => {
    expect(await quiet.call('get_balance')).toHaveProperty('result')
  })
  quiet.close()
  const count = (answer: string): number => answers.filter((each) => each === answer).length
  expect(count('answered') + count('RATE_LIMITED')).toBe(CALLS)
})

type Step = readonly [args: readonly string[], input: string, expected: Ran]

const done = (out: string): Ran => ({ code: 0, out, err: '' })
const refused = (err: string): Ran => ({ code: 1, out: '', err })

/** Runs each action of the command once, repeats that change nothing, and refused calls, on a sandbox without a user carol. */
const USERS_WALK: readonly Step[] = [
  [
    ['add', 'carol', '--name=Carol Jones', '--wallets=USD:100000,SAT'],
    'a päss word\r\nnot the password\n',
    done('carol was added.'),
  ],
  [['add', 'carol'], 'another password', refused('The name carol is or was in use. Nothing was changed.')],
  [['add', 'dora', '--wallets=USD,USD'], 'a password', refused('A currency is listed twice. Nothing was changed.')],
  [['suspend', 'carol'], '', done('carol is suspended. Payments in progress end as usual.')],
  [['suspend', 'carol'], '', refused('There is no active user carol. Nothing was changed.')],
  [['resume', 'carol'], '', done('carol is active again, with all connections that were not revoked.')],
  [['resume', 'nobody'], '', refused('There is no suspended user nobody. Nothing was changed.')],
  [
    ['password', 'carol'],
    'a new password\n',
    done('The password of carol was changed. All sessions have ended. Connected apps keep access.'),
  ],
  [['password', 'nobody'], 'a new password', refused('There is no user nobody. Nothing was changed.')],
  [['sign-out', 'carol'], '', done('All sessions of carol have ended. Connected apps keep access.')],
  [['sign-out', 'nobody'], '', refused('There is no user nobody. Nothing was changed.')],
  [
    ['remove', 'carol'],
    '',
    done("carol was removed. The ledger keeps the user's entries, and the name is never issued again."),
  ],
  [['remove', 'carol'], '', refused('There is no user carol. Nothing was changed.')],
  [['add', 'carol'], 'a new password', refused('The name carol is or was in use. Nothing was changed.')],
]

describe('`npm run users`', () => {
  // A server locks the embedded folder, so the command has to call it.
  it('each action changes the running server', async () => {
    const env = environmentOf(stack)
    for (const [args, input, expected] of USERS_WALK)
      expect(await runUsers(env, args, input), args.join(' ')).toEqual(expected)
    const { code, out } = await runUsers(env, ['list'])
    expect(code).toBe(0)
    expect(out.split('\n')).toContain('alice  active  USD EUR SAT')
    expect(out).not.toContain('carol')
  })

  it('no request to the public port lists or changes users without the secret of the instance', async () => {
    const body = '{"do":"suspend","username":"bob"}'
    const now = Math.floor(Date.now() / 1000)
    const secret = stack.settings.NEXTAUTH_SECRET ?? ''
    const Cookie = await signIn(user())
    const send = (headers: Readonly<Record<string, string>>, method = 'POST'): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(`${vaspOrigin()}/-/users`, { method, headers }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        sent.on('error', reject)
        sent.end(method === 'POST' ? body : undefined)
      })
    const foreign = operatorCredential('a secret of thirty-two characters', now, body, 'users')
    // scripts/users.db.test.ts sends credentials for another body, subject and time.
    const attempts: Readonly<Record<string, string>>[] = [
      {},
      { Cookie, Origin: vaspOrigin() },
      { Host: 'evil.example', Origin: 'https://evil.example' },
      { Host: 'localhost', 'X-Forwarded-For': '127.0.0.1', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
      { Authorization: foreign, 'X-Forwarded-For': '::1' },
    ]
    for (const headers of attempts) expect(await send(headers), JSON.stringify(Object.keys(headers))).toBe(401)
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) expect(await send({}, method), method).toBe(405)
    expect((await runUsers(environmentOf(stack), ['list'])).out).toContain('bob  active  SAT')
    expect(await send({ Authorization: operatorCredential(secret, now, body, 'users') })).toBe(200)
  })
})
