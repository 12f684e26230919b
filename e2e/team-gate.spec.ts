import { expect, test } from 'playwright/test'
import { signIn } from '../sandbox/fetch-token'
import { startStack, type Stack } from './stack'

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

test('a browser without the team password sees neither users nor passwords of a private sandbox', async () => {
  for (const path of [
    '/',
    '/login',
    '/login?error=CredentialsSignin',
    '/developers/wire',
    '/developers/token',
    '/sandbox',
  ]) {
    const text = await (await fetch(`${stack.vaspOrigin}${path}`)).text()
    for (const secret of [USER_PASSWORD, TEAM_PASSWORD, '$alice@', '$bob@', 'Khalid', 'Sign in with name and password'])
      expect(text.includes(secret), `${path} shows ${secret}`).toBe(false)
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
