import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { outsidePlaywright, saveGuideProject } from '../../test/programs/guide-project'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, openMenu, test } from '../support/fixtures'
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
  readonly loginUrl: string
}

const users = (path = ''): string => `${stack.vaspOrigin}/sandbox/users${path}`
const create = async (): Promise<OwnUser> => {
  const headers = { 'Content-Type': 'application/json' }
  return (await (await fetch(users(), { method: 'POST', headers, body: '{}' })).json()) as OwnUser
}

test('two parallel workers with their own users do not affect each other', async () => {
  test.setTimeout(1_800_000)
  const args = ['node_modules/playwright/cli.js', 'test', '--config', 'e2e/own-user/playwright.config.ts']
  const child = spawn(process.execPath, [...args, '--repeat-each', REPEATS], {
    env: outsidePlaywright({ SANDBOX_ORIGIN: stack.vaspOrigin }),
  })
  expect(await outputOf(child)).toContain(`${2 * Number(REPEATS)} passed`)
})

test('the project of the guide pays, in an empty folder against a running sandbox', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guide-project-'))
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const chosen = saveGuideProject(folder, process.env.PLAYWRIGHT_CHROMIUM_PATH ?? '')
    const child = spawn(process.execPath, [resolve('node_modules/playwright/cli.js'), 'test', ...chosen], {
      cwd: folder,
      env: outsidePlaywright({ SANDBOX_ORIGIN: stack.vaspOrigin, GATEWAY_ORIGIN: stack.gatewayOrigin }),
    })
    expect(await outputOf(child)).toContain('2 passed')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** What a program writes. Fails when it ends with an error. */
async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  expect(code, out).toBe(0)
  return out
}

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
  await openMenu(page)
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
  expect((await fetch(users('/alice'), { method: 'DELETE', headers: { Cookie } })).status).toBe(403)
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
    '/settings?zones=all',
    '/settings?error=zone.unknown&zone=Mars',
    '/sign-out',
    '/login?done=deleted',
    '/login?error=TooManyUsers-3',
  ]) {
    await page.goto(`${stack.vaspOrigin}${path}`)
    await expectNoFaults(page, NARROWEST)
  }
})
