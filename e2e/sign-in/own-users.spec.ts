import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, test } from '../support/fixtures'
import { beginToConnect } from '../support/shop'

/** 50 repeats are 100 runs in two workers. */
const REPEATS = process.env.OWN_USER_REPEATS ?? '2'
let stack: Stack

test.beforeAll(async () => {
  stack = await startStack({ SANDBOX_USERS_PER_MINUTE: '10000', RECEIVE_FEE_BPS: '0' })
})
test.afterAll(() => stack?.stop())

interface OwnUser {
  readonly username: string
  readonly address: string
  readonly password: string
  readonly loginUrl: string
  readonly manageToken: string
  readonly expiresAt: string
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const users = (path = ''): string => `${stack.vaspOrigin}/sandbox/users${path}`
const post = (body: unknown = {}, headers: Record<string, string> = {}, path = ''): Promise<Response> =>
  fetch(users(path), {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const remove = (username: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(users(`/${username}`), { method: 'DELETE', headers })
const create = async (): Promise<OwnUser> => (await (await post()).json()) as OwnUser
const statusAndCode = async (answer: Promise<Response>): Promise<unknown> => {
  const response = await answer
  const { field, code } = (await response.json()) as { field?: string; code: string }
  return [response.status, ...(field === undefined ? [] : [field]), code]
}

test('two parallel workers with their own users do not affect each other', async () => {
  test.setTimeout(1_800_000)
  const args = ['node_modules/playwright/cli.js', 'test', '--config', 'e2e/own-user/playwright.config.ts']
  const child = spawn(process.execPath, [...args, '--repeat-each', REPEATS], {
    env: { ...process.env, SANDBOX_ORIGIN: stack.vaspOrigin, TEST_PARALLEL_INDEX: '', TEST_WORKER_INDEX: '' },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  expect(code, out).toBe(0)
  expect(out).toContain(`${2 * Number(REPEATS)} passed`)
})

test('POST /sandbox/users answers 201 with everything that a test needs', async () => {
  const response = await post({ currencies: ['JPY', 'KWD'] })
  expect(response.status).toBe(201)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('set-cookie')).toBeNull()
  const user = (await response.json()) as OwnUser
  expect(Object.keys(user)).toEqual(['username', 'address', 'password', 'loginUrl', 'manageToken', 'expiresAt'])
  expect(user.address).toBe(`$${user.username}@${new URL(stack.vaspOrigin).host}`)
  const hours = (Date.parse(user.expiresAt) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(24)
  const lnurl = await fetch(`${stack.vaspOrigin}/.well-known/lnurlp/${user.username}`)
  expect(lnurl.status).toBe(200)
})

test('POST /sandbox/users refuses other content types, foreign origins and bad input', async () => {
  expect(await statusAndCode(post({}, { 'Content-Type': 'text/plain' }))).toEqual([415, 'unsupported_media_type'])
  expect(await statusAndCode(post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }))).toEqual([
    415,
    'unsupported_media_type',
  ])
  for (const Origin of ['http://evil.example', 'null'])
    expect(await statusAndCode(post({}, { Origin }))).toEqual([403, 'foreign_origin'])
  expect((await post({}, { Origin: stack.vaspOrigin })).status).toBe(201)
  for (const body of ['', '{', '[]', 'null', '"x"'])
    expect(await statusAndCode(post(body)), body).toEqual([400, 'body', 'not_json'])
  for (const [body, ...expected] of [
    [{ currencies: ['XYZ'] }, 'currencies.0', 'unknown_currency'],
    [{ currencies: [] }, 'currencies', 'count'],
    [{ currencies: ['USD', 'USD'] }, 'currencies', 'count'],
    [{ currencies: 'USD' }, 'currencies', 'invalid'],
    [{ username: 'me' }, 'username', 'unknown_field'],
  ] as const)
    expect(await statusAndCode(post(body))).toEqual([400, ...expected])
  expect((await post(`{"currencies":"${'x'.repeat(70_000)}"}`)).status).toBe(413)
  expect((await fetch(users())).status).toBe(405)
})

test('DELETE and reset accept only the manage token of the same user', async () => {
  const [user, other] = [await create(), await create()]
  const token = { 'X-Manage-Token': user.manageToken }
  expect(await statusAndCode(remove(user.username))).toEqual([401, 'unauthorized'])
  expect(await statusAndCode(remove(user.username, { 'X-Manage-Token': 'wrong' }))).toEqual([401, 'unauthorized'])
  expect(await statusAndCode(remove(other.username, token))).toEqual([404, 'not_found'])
  expect(await statusAndCode(remove(user.username, { ...token, Origin: 'http://evil.example' }))).toEqual([
    403,
    'foreign_origin',
  ])
  expect(await statusAndCode(post({}, token, `/${other.username}/reset`))).toEqual([404, 'not_found'])
  expect((await post({}, token, `/${user.username}/reset`)).status).toBe(204)
  const api = await fetch(`${stack.vaspOrigin}/umanwc/v1/balance`, {
    headers: { Authorization: `Bearer ${user.manageToken}` },
  })
  expect(api.status).toBe(401)
  expect((await remove(user.username, token)).status).toBe(204)
  expect(await statusAndCode(remove(user.username, token))).toEqual([401, 'unauthorized'])
  expect((await fetch(`${stack.vaspOrigin}/.well-known/lnurlp/${user.username}`)).status).toBe(404)
  expect((await remove(other.username, { 'X-Manage-Token': other.manageToken })).status).toBe(204)
})

test('a visitor creates a user with one click, without JavaScript, resets it, and deletes it', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(stack.vaspOrigin)
  await page.getByRole('button', { name: 'Create a temporary user' }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  await page.getByRole('button', { name: 'Add test money' }).click()
  await expect(page.locator('[data-live^="USD "]')).toHaveText(/1,100\.00/)
  await page.goto(`${stack.vaspOrigin}/settings`)
  const username = /\$([a-z-]+\d*)@/.exec(await page.getByRole('definition').first().innerText())?.[1] ?? ''

  await page.getByRole('button', { name: 'Create a new password' }).click()
  await expect(page.getByText('It is shown only once.')).toBeVisible()
  const password = await page.locator('#password ~ * code, #password ~ div code').first().innerText()
  await page.goto(`${stack.vaspOrigin}/settings`)
  await expect(page.getByText('It is shown only once.')).toHaveCount(0)

  await page.getByRole('link', { name: 'Reset', exact: true }).click()
  await page.getByRole('button', { name: 'Reset this user' }).click()
  await expect(page.getByText('Every wallet has its opening balance again.')).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  await expect(page.locator('[data-live^="USD "]')).toHaveText(/1,000\.00/)
  await expect(page.getByText('Reset to the opening balance')).toBeVisible()

  await page.goto(`${stack.vaspOrigin}/settings`)
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await expect(page.getByText('you lose this user and its test money')).toBeVisible()
  await page.getByRole('button', { name: /^Sign out of / }).click()
  await page.goto(`${stack.vaspOrigin}/login`)
  await page.locator('summary').click()
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.goto(`${stack.vaspOrigin}/settings?confirm=delete`)
  await page.getByRole('button', { name: 'Delete this user' }).click()
  await expect(page.getByText('Your user was deleted.')).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/wallets`)
  await expect(page.getByRole('heading', { name: 'Sign in to Northbank' })).toBeVisible()
  await context.close()
})

test('a sign-in link works once, and a shared test user cannot be deleted', async ({ page, otherPage }) => {
  const user = await create()
  // A visit alone signs no one in and leaves the link valid.
  expect((await fetch(user.loginUrl)).headers.get('set-cookie') ?? '').not.toContain('session')
  await page.goto(user.loginUrl)
  await page.getByRole('button', { name: /^Sign in as / }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  // The lines of docs/test-your-app.md.
  await (
    await beginToConnect(page, { shopOrigin: stack.shopOrigin, vaspOrigin: stack.vaspOrigin }, user.username)
  ).click()
  await page.getByRole('heading', { name: `to ${user.address}` }).waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Your wallet' })).toBeVisible()
  await otherPage.goto(user.loginUrl)
  await expect(otherPage.getByRole('alert').filter({ hasText: 'was used before' })).toBeVisible()
  await otherPage.goto(`${stack.vaspOrigin}/login`)
  await otherPage.getByRole('button', { name: 'Continue as Alice' }).click()
  await otherPage.goto(`${stack.vaspOrigin}/settings`)
  await expect(otherPage.getByText('you can reset it but not delete it')).toBeVisible()
  const cookies = await otherPage.context().cookies()
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  expect(await statusAndCode(remove('alice', { Cookie }))).toEqual([403, 'shared_user'])
})

test('the pages of temporary users are free of accessibility faults and fit their width', async ({ page }) => {
  const user = await create()
  await page.goto(user.loginUrl)
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: /^Sign in as / }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  for (const path of [
    '/login/link',
    '/settings',
    '/settings?confirm=reset',
    '/settings?confirm=delete',
    '/settings?error=pending',
    '/sign-out',
    '/login?done=deleted',
    '/login?error=TooManyUsers-3',
  ]) {
    await page.goto(`${stack.vaspOrigin}${path}`)
    await expectNoFaults(page, NARROWEST)
  }
})
