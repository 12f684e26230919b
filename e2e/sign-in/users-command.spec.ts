import { request } from 'node:http'
import { operatorCredential } from '../../lib/audit/ask'
import { fetchLoginToken, fetchToken, signIn } from '../../sandbox/fetch-token'
import { NO_POSTGRES, startTestPostgres } from '../../test/databases/postgres'
import { USERS_WALK, runUsers } from '../../test/processes/users-walk'
import { EVERY_VIEW, expectNoFaults } from '../support/faults'
import { expect, test } from '../support/fixtures'
import { startStack, type Stack } from '../../test/stack/stack'

// `npm run users` against running servers: the command calls them, because a server locks the embedded folder.

const PASSWORD = 'a password of erin'

const environmentOf = ({ settings, vaspOrigin }: Stack): Record<string, string> => ({
  ...settings,
  PORT: new URL(vaspOrigin).port,
})

async function walk(stack: Stack): Promise<void> {
  const env = environmentOf(stack)
  for (const [args, input, expected] of USERS_WALK)
    expect(await runUsers(env, args, input), args.join(' ')).toEqual(expected)
  const { code, out } = await runUsers(env, ['list'])
  expect(code).toBe(0)
  expect(out.split('\n')).toContain('alice  active  USD EUR SAT')
  expect(out).not.toContain('carol')
}

test.describe('on the embedded database', () => {
  let stack: Stack
  test.beforeAll(async () => {
    stack = await startStack()
  })
  test.afterAll(() => stack?.stop())

  test('each action changes the running server', () => walk(stack))

  test('a suspended user is refused everywhere immediately, and regains access when resumed', async ({ page }) => {
    const { vaspOrigin, gatewayOrigin } = stack
    const users = async (args: readonly string[], input = ''): Promise<void> => {
      expect(await runUsers(environmentOf(stack), args, input)).toMatchObject({ code: 0, err: '' })
    }
    await users(['add', 'erin', '--name=Erin', '--wallets=SAT:1000'], PASSWORD)
    const erin = {
      vaspOrigin,
      gatewayRootUrl: gatewayOrigin,
      instance: 'northbank',
      username: 'erin',
      password: PASSWORD,
    }
    const [token, login, Cookie] = [
      await fetchToken({ ...erin, permissions: ['get_balance'] }),
      await fetchLoginToken(erin),
      await signIn(erin),
    ]
    const balance = async (): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` }
      return (await fetch(`${vaspOrigin}/umanwc/v1/balance`, { headers })).status
    }
    const exchange = async (): Promise<number> => {
      const headers = { Authorization: `Bearer ${login}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ permissions: ['get_balance'] })
      return (await fetch(`${vaspOrigin}/umanwc/v1/token`, { method: 'POST', headers, body })).status
    }
    const connect = (): Promise<Response> => {
      const redirectUri = encodeURIComponent(`${gatewayOrigin}/auth/vasp_token_callback`)
      const headers = { Cookie, Accept: 'text/html' }
      return fetch(`${vaspOrigin}/connect?redirect_uri=${redirectUri}`, { headers, redirect: 'manual' })
    }
    const invoiceRequest = async (): Promise<number> => (await fetch(`${vaspOrigin}/.well-known/lnurlp/erin`)).status
    expect([await balance(), (await connect()).status, await invoiceRequest()]).toEqual([200, 303, 200])

    await page.context().addCookies(
      Cookie.split('; ').map((cookie) => {
        const [name = '', ...value] = cookie.split('=')
        return { name, value: value.join('='), url: vaspOrigin }
      }),
    )
    await page.goto(`${vaspOrigin}/wallets`)
    await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()

    await users(['suspend', 'erin'])
    expect([await balance(), await exchange(), await invoiceRequest()]).toEqual([401, 401, 403])
    const refused = await connect()
    expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
    expect(await refused.text()).toContain('This account is suspended.')
    const suspended = page.getByText('The operator of this wallet has suspended this user.')
    await page.goto(`${vaspOrigin}/wallets`)
    await expect(suspended).toBeVisible()
    await page.goto(`${vaspOrigin}/login`)
    await expect(suspended).toHaveCount(0)
    await page.getByText('Sign in with name and password').click()
    await page.getByLabel('User name').fill('erin')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(suspended).toBeVisible()
    await expectNoFaults(page, EVERY_VIEW)

    await users(['resume', 'erin'])
    expect([await balance(), await exchange(), await invoiceRequest()]).toEqual([200, 200, 200])
    await page.goto(`${vaspOrigin}/wallets`)
    await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
    await users(['remove', 'erin'])
    expect(await balance()).toBe(401)
  })

  test('no request to the public port lists or changes users without the secret of the instance', async () => {
    const { vaspOrigin, settings } = stack
    const body = '{"do":"suspend","username":"bob"}'
    const now = Math.floor(Date.now() / 1000)
    const secret = settings.NEXTAUTH_SECRET ?? ''
    const Cookie = await signIn({ vaspOrigin, instance: 'northbank', username: 'alice', password: 'sandbox' })
    const send = (headers: Readonly<Record<string, string>>, method = 'POST'): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(`${vaspOrigin}/-/users`, { method, headers }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        sent.on('error', reject)
        sent.end(method === 'POST' ? body : undefined)
      })
    const foreign = operatorCredential('a secret of thirty-two characters', now, body, 'users')
    const attempts: Readonly<Record<string, string>>[] = [
      {},
      { Cookie, Origin: vaspOrigin },
      { Host: 'evil.example', Origin: 'https://evil.example' },
      { Host: 'localhost', 'X-Forwarded-For': '127.0.0.1', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
      { Authorization: foreign, 'X-Forwarded-For': '::1' },
      { Authorization: operatorCredential(secret, now, body, 'payments') },
      { Authorization: operatorCredential(secret, now, '{"do":"list"}', 'users') },
      { Authorization: operatorCredential(secret, now - 90, body, 'users') },
    ]
    for (const headers of attempts) expect(await send(headers), JSON.stringify(Object.keys(headers))).toBe(401)
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) expect(await send({}, method), method).toBe(405)
    expect((await runUsers(environmentOf(stack), ['list'])).out).toContain('bob  active  SAT')
    expect(await send({ Authorization: operatorCredential(secret, now, body, 'users') })).toBe(200)
  })
})

test('each action changes a running server on PostgreSQL', async () => {
  const postgres = await startTestPostgres()
  test.skip(postgres === undefined, NO_POSTGRES)
  if (postgres === undefined) return
  const stack = await startStack({ DATABASE_URL: await postgres.createDatabase() })
  try {
    await walk(stack)
  } finally {
    await stack.stop()
    await postgres.stop()
  }
})
