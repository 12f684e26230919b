import { expect, test } from 'playwright/test'
import { signIn } from '../../sandbox/shared/fetch-token'
import { freePort } from '../../test/programs/free-port'
import { ROUTES, TOOL_ROUTES } from '../../test/stack/routes'
import { startStack, type Stack } from '../../test/stack/stack'

const TEAM_PASSWORD = 'the team of this test'
const USER_PASSWORD = 'a password of our own'
let stack: Stack

test.beforeAll(async () => {
  stack = await startStack({
    SANDBOX_TOOLS: 'private',
    SANDBOX_TEAM_PASSWORD: TEAM_PASSWORD,
    SANDBOX_PASSWORD: USER_PASSWORD,
  })
})
test.afterAll(() => stack?.stop())

const user = (teamPassword?: string) => ({
  vaspOrigin: stack.vaspOrigin,
  instance: 'northbank',
  username: 'alice',
  password: USER_PASSWORD,
  teamPassword,
})

test('behind TLS, no route shows users or passwords to a stranger, and no route of the tools has an effect', async ({
  playwright,
}) => {
  const port = await freePort()
  const domain = `localhost:${port}`
  const origin = `https://${domain}`
  const hosted = await startStack(
    {
      SANDBOX_TOOLS: 'private',
      SANDBOX_TEAM_PASSWORD: TEAM_PASSWORD,
      SANDBOX_PASSWORD: USER_PASSWORD,
      VASP_DOMAIN: domain,
      NEXTAUTH_URL: origin,
      TRUSTED_PROXIES: '127.0.0.1',
    },
    'server.js',
    { vasp: port },
  )
  // What a proxy that terminates TLS passes on.
  const stranger = await playwright.request.newContext({
    baseURL: `http://${domain}`,
    extraHTTPHeaders: { 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Proto': 'https' },
  })
  try {
    const answers: string[] = []
    for (const { path, methods } of ROUTES)
      for (const method of methods) {
        const response = await stranger.fetch(path.replaceAll(/\[+[^\]]+\]+/g, '1'), {
          method,
          headers: { Origin: origin },
          ...(method === 'GET' ? {} : { data: {} }),
          maxRedirects: 0,
        })
        const text = await response.text()
        for (const secret of [USER_PASSWORD, TEAM_PASSWORD, '$khalid@', 'Khalid', 'Sign in with name and password'])
          expect(text.includes(secret), `${method} ${path} shows ${secret}`).toBe(false)
        const { location = '' } = response.headers()
        if (TOOL_ROUTES.some((route) => route.path === path))
          answers.push(`${method} ${path} ${response.status()} ${location}`)
      }
    expect(answers.length).toBeGreaterThan(20)
    // The page of a sign-in link has only a button: the link's secret is in its fragment.
    const isRefusal = (answer: string): boolean =>
      /^[A-Z]+ \S+ (?:40[14] $|30[37] \S*\/login(?:$|[?/]))/.test(answer) || answer === 'GET /login/link 200 '
    expect(answers.filter((answer) => !isRefusal(answer))).toEqual([])
  } finally {
    await stranger.dispose()
    await hosted.stop()
  }
})

test('a browser without the team password cannot sign in, even with the right name and password', async () => {
  await expect(signIn(user())).rejects.toThrow('Sign-in as alice was refused')
  await expect(signIn(user('not the team password'))).rejects.toThrow('The team password was refused')
  expect(await signIn(user(TEAM_PASSWORD))).toContain('northbank.session=')
})

test('the API, discovery and UMA stay open', async () => {
  for (const [path, status] of [
    ['/.well-known/uma-configuration', 200],
    ['/.well-known/lnurlp/alice', 200],
    ['/openapi.json', 200],
    ['/umanwc/v1/info', 401],
  ] as const)
    expect((await fetch(`${stack.vaspOrigin}${path}`)).status, path).toBe(status)
})

test('the gate keeps the pending login of a gateway', async ({ page }) => {
  const callback = `${stack.gatewayOrigin}/auth/vasp_token_callback`
  await page.goto(`${stack.vaspOrigin}/connect?redirect_uri=${encodeURIComponent(callback)}`)
  await page.getByLabel('Team password').fill('wrong')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'This is not the team password' })).toBeVisible()
  await page.getByLabel('Team password').fill(TEAM_PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText(new URL(stack.gatewayOrigin).host).first()).toBeVisible()
  const arrival = page.waitForRequest((request) => request.url().startsWith(callback))
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  expect(new URL((await arrival).url()).searchParams.has('token')).toBe(true)
})
