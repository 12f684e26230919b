import type { Locator, Page } from 'playwright/test'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test } from '../support/fixtures'

let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack?.stop())

async function openKit(page: Page, user: string): Promise<void> {
  await signInAtVasp(page, user, stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/developers/gateway`)
  await expect(page.getByText('checks pass.')).toBeVisible()
}

const step = (page: Page, name: string): Locator => page.getByRole('listitem').filter({ hasText: name }).first()

const connect = (username: string): Promise<string> =>
  fetchToken({
    vaspOrigin: stack.vaspOrigin,
    gatewayRootUrl: stack.gatewayOrigin,
    instance: 'northbank',
    username,
    password: 'sandbox',
    permissions: ['get_info'],
  })

const info = (token: string): Promise<Response> =>
  fetch(`${stack.vaspOrigin}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${token}` } })

test('the list fills in by itself: a refused login with its reason, then login, exchange and /info', async ({
  page,
  otherPage,
}) => {
  await openKit(page, 'Penny')
  for (const name of ['Login redirect', 'Token exchange', 'GET /info', 'Payment'])
    await expect(step(page, name)).toContainText('Not seen yet.')
  await fetch(`${stack.vaspOrigin}/connect?redirect_uri=${encodeURIComponent('https://other.example/callback')}`)
  await expect(step(page, 'Login redirect')).toContainText('× Refused')
  await expect(step(page, 'Login redirect')).toContainText('redirect_uri leads to https://other.example')

  const token = await connect('penny')
  await expect(step(page, 'Login redirect')).toContainText('✓ Seen')
  await expect(step(page, 'Login redirect')).not.toContainText('× Refused')
  await expect(step(page, 'Token exchange')).toContainText('✓ Seen')
  expect((await info(token)).status).toBe(200)
  await expect(step(page, 'GET /info')).toContainText('✓ Seen')
  expect((await info('no token')).status).toBe(401)
  await expect(step(page, 'GET /info')).toContainText('× Refused')
  await expect(step(page, 'Payment')).toContainText('Not seen yet.')
  await step(page, 'GET /info').getByRole('link', { name: 'Show the details' }).click()
  await expect(page.getByRole('region', { name: 'Checks' })).toContainText('× failed')

  await openKit(otherPage, 'Yuki')
  await expect(step(otherPage, 'Token exchange')).toContainText('Not seen yet.')
})

test('the page is free of accessibility faults in every state, on a desktop and a phone, light and dark', async ({
  page,
}) => {
  await openKit(page, 'Alice')
  for (const title of ['Environment variables', 'Docker Compose'])
    await page.locator('summary', { hasText: title }).click()
  await expectNoFaults(page, NARROWEST)
  await page.goto(stack.vaspOrigin)
  await page.getByRole('link', { name: 'Developers' }).click()
  await page.getByRole('link', { name: 'Gateway kit and doctor' }).click()
  await expect(page.getByRole('heading', { name: 'Gateway kit' })).toBeVisible()
})

test('a format is opened and copied with the keyboard', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openKit(page, 'Alice')
  await page.locator('summary', { hasText: 'Environment variables' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Copy' }).nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('✓ Copied')).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(`\nUMA_VASP_LOGIN_URL='${stack.vaspOrigin}/connect'\n`)
  expect(copied).toContain(`\nRELAY='${stack.relay}'\n`)
})

test('everything can be read without JavaScript', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/developers/gateway`)
  await expect(page.locator('code', { hasText: '# Settings of the public UMA Auth gateway' })).toBeVisible()
  await expect(page.locator('code', { hasText: /^-----BEGIN PUBLIC KEY-----/ })).toBeVisible()
  await page.getByRole('link', { name: 'Show the checks' }).click()
  await expect(page.getByText('checks pass.')).toBeVisible()
  await context.close()
})

test('“Try a login” sends a login to the gateway, shows its result and leaves no connection', async ({ page }) => {
  await openKit(page, 'Khalid')
  await expect(page.getByText('press “Try a login”')).toBeVisible()
  await page.getByRole('button', { name: 'Try a login' }).click()
  const result = page.getByRole('listitem').filter({ hasText: 'The gateway accepted a login token.' })
  await expect(result).toContainText(`A login at ${stack.gatewayOrigin}`)
  await expect(result).toContainText('✓ Pass')
  await expect(page.getByText('press “Try a login”')).toBeHidden()
  await expectNoFaults(page, NARROWEST)
  await result.getByRole('link', { name: 'Show the event' }).click()
  await expect(page.getByText('made by the doctor').first()).toBeVisible()
  await expect(page.locator('main')).not.toContainText(/eyJ[\w-]+\./)
  await page.goto(`${stack.vaspOrigin}/connections`)
  await expect(page.getByText('No app is connected.')).toBeVisible()
})

test('“Try a login” says when it was pressed too often, and sends nothing', async ({ page }) => {
  await openKit(page, 'Yuki')
  await expect(async () => {
    await page.getByRole('button', { name: 'Try a login' }).click()
    await expect(page.getByRole('alert')).toContainText('Wait 20 seconds, then try again.', { timeout: 2_000 })
  }).toPass()
})

test('the doctor names a gateway that is not running, and the fix', async ({ page }) => {
  await openKit(page, 'Alice')
  await stack.kill('gateway')
  // The results of the checks are cached for two seconds.
  await expect(async () => {
    await page.getByRole('button', { name: 'Run the checks again' }).click()
    await expect(page.getByText('1 of 10 checks needs attention.')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  const gateway = page.getByRole('listitem').filter({ hasText: `GET ${stack.gatewayOrigin}/` })
  await expect(gateway).toContainText('No answer: ECONNREFUSED.')
  await expect(gateway).toContainText('Start the gateway, or set GATEWAY_ROOT_URL')
  await expectNoFaults(page, NARROWEST)
})
