import type { Page } from 'playwright/test'
import type { Application } from '../../lib/backend/application'
import { makeProtocol } from '../../lib/backend/protocol'
import { randomIds } from '../../lib/platform/ids'
import { readSandbox } from '../../sandbox/shared/settings'
import {
  approve,
  expect,
  gatewayOrigin,
  openMenu,
  revokeAtVasp,
  signInAtGateway,
  test,
  vaspOrigin,
} from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'

// The tests are independent, so both workers share them.
test.describe.configure({ mode: 'parallel' })

/** Expands the token on a connection's page at the gateway, where it is collapsed. */
const openLongLivedToken = (page: Page): Promise<void> =>
  page.getByText('Long-lived token (sent with every call)').click()

const newestConnection = (page: Page) => page.locator('li[id^="connection-"]').first()

test('After a user signs in and approves, the gateway holds a token that reads the user’s currencies', async ({
  page,
}) => {
  await signInAtGateway(page, 'Alice')
  await approve(page, 'Coffee corner')
  await page.locator('details.exchange', { hasText: '/umanwc/v1/info' }).locator('summary').click()
  await expect(page.getByText('"code": "USD"')).toBeVisible()
  await openLongLivedToken(page)
  await expect(page.getByText('connection', { exact: false }).first()).toBeVisible()
  await expect(page.locator('dd', { hasText: /^get_info get_budget get_balance .*pay_invoice/ })).toBeVisible()

  await page.getByRole('button', { name: 'Call get_budget' }).click()
  await expect(page.getByText('"estimated_budget_currency_amount": 50000')).toBeVisible()

  await page.getByRole('button', { name: 'Call get_balance' }).click()
  await expect(page.getByText('"balance":')).toBeVisible()

  await page.goto(`${vaspOrigin()}/connections`)
  await expect(newestConnection(page)).toContainText('Send payments')
})

test('While the session is open, the login redirect needs no sign-in', async ({ page, context }) => {
  await signInAtGateway(page, 'Alice')
  await context.clearCookies({ name: /^gateway\./ })
  await page.goto(`${gatewayOrigin()}/login?return=/`)
  await expect(page.getByRole('heading', { name: 'Connections of $alice@' })).toBeVisible()
})

test('The sign-in page shows the requesting app and the site that receives the token', async ({ page }) => {
  await page.goto(`${gatewayOrigin()}/login?return=/`)
  const aside = page.getByRole('complementary')
  await expect(aside).toContainText(gatewayOrigin())
  await expect(aside).toContainText('/auth/vasp_token_callback')
})

test('A connection with an expiry has that expiry in its token', async ({ page }) => {
  await signInAtGateway(page, 'Bob')
  await approve(page, 'For an hour', 'In one hour')
  await openLongLivedToken(page)
  const exp = await page.locator('dd', { hasText: 'valid until' }).last().innerText()
  const seconds = Number(/^\d+/.exec(exp)?.[0])
  expect(seconds - Date.now() / 1000).toBeGreaterThan(3_500)
  expect(seconds - Date.now() / 1000).toBeLessThanOrEqual(3_600)
})

test('A token has only the permissions that the user granted, and a call without permission is refused', async ({
  page,
}) => {
  await signInAtGateway(page, 'Bob')
  await page.goto(`${gatewayOrigin()}/connection/new`)
  await page.getByLabel('Name of the app').fill('Only looks')
  for (const group of ['Send payments', 'Receive payments', 'Read your balance']) await page.getByLabel(group).uncheck()
  await page.getByRole('button', { name: 'Connect' }).click()
  await openLongLivedToken(page)
  const granted = page.locator('dd', { hasText: /^get_info get_budget .*list_transactions/ })
  await expect(granted).toBeVisible()
  await expect(granted).not.toContainText('get_balance')
  await page.getByRole('button', { name: 'Call get_balance' }).click()
  await expect(page.getByText('An app would see RESTRICTED')).toBeVisible()
  await page.goto(`${vaspOrigin()}/connections`)
  await expect(newestConnection(page)).toContainText('See your payments')
  await expect(newestConnection(page)).not.toContainText('Send payments')
})

test('When the app requests another user, the signed-in user can switch to that user', async ({ page, context }) => {
  await signInAtGateway(page, 'Alice')
  await context.clearCookies({ name: /^gateway\./ })
  await page.goto(gatewayOrigin())
  await page.getByLabel('User to sign in as').fill('$bob')
  await page.getByRole('button', { name: 'Sign in at Northbank' }).click()
  await expect(page.getByText('requested by the app')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Continue as Alice' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue as Bob' }).click()
  await expect(page.getByRole('heading', { name: 'Connections of $bob@' })).toBeVisible()
})

test('When the app requests another user, the signed-in user can continue without switching', async ({
  page,
  context,
}) => {
  await signInAtGateway(page, 'Alice')
  await context.clearCookies({ name: /^gateway\./ })
  await page.goto(`${gatewayOrigin()}/login?return=/&uma_username=bob`)
  await page.getByRole('link', { name: 'Continue as Alice' }).click()
  await expect(page.getByRole('heading', { name: 'Connections of $alice@' })).toBeVisible()
})

test('Denying sends no request to the VASP and stores nothing', async ({ page }) => {
  await signInAtGateway(page, 'Yuki')
  await page.goto(`${gatewayOrigin()}/connection/new`)
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(page.getByRole('heading', { name: 'Request denied' })).toBeVisible()
  await page.goto(`${vaspOrigin()}/connections`)
  await expect(page.getByText('No app is connected.')).toBeVisible()
})

test('After a revocation at the VASP, the next call is refused, and the app sees UNAUTHORIZED', async ({ page }) => {
  await signInAtGateway(page, 'Khalid')
  await approve(page, 'Soon revoked')
  const connectionPage = page.url()
  await revokeAtVasp(page)
  await page.goto(connectionPage)
  await page.getByRole('button', { name: 'Call get_info' }).click()
  await expect(page.getByText('An app would see UNAUTHORIZED')).toBeVisible()
})

test('A login without a connection can be closed, and then cannot create one', async ({ page }) => {
  await signInAtGateway(page, 'Yuki')
  await revokeAtVasp(page)
  await expect(page.getByRole('button', { name: 'Revoke all from the last 24 hours' })).toHaveCount(0)
  await page.goto(`${gatewayOrigin()}/connection/new`)
  await page.getByLabel('Name of the app').fill('Too late')
  await page.getByRole('button', { name: 'Connect' }).click()
  await expect(page.getByText('/umanwc/v1/info of the VASP answered 401: Unauthorized.')).toBeVisible()
})

test('Following links between pages causes no refused request', async ({ page }) => {
  await signInAtGateway(page, 'Alice')
  await page.goto(`${vaspOrigin()}/connections`)
  const refused: string[] = []
  let documents = 0
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
    if (response.request().resourceType() === 'document') documents += 1
  })
  await page.getByRole('banner').getByRole('link', { name: 'Northbank' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Alice' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Connections', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Connections', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Connections', exact: true })).toBeVisible()
  expect([refused, documents]).toEqual([[], 0])
})

test('A new connection appears at once on a page that is already open, and can be revoked there', async ({
  page,
  context,
}) => {
  await signInAtGateway(page, 'Penny')
  await page.goto(`${vaspOrigin()}/connections`)
  await expect(page.getByText('No app is connected.')).toBeVisible()
  const other = await context.newPage()
  await approve(other, 'Made elsewhere')
  await page.bringToFront()
  await expect(page.getByText('New connection:')).toBeVisible()
  const notice = page.locator('[aria-live=polite]')
  await expect(notice).toContainText('just now. Was this you?')
  await approve(other, 'Made elsewhere too')
  await page.bringToFront()
  await expect(notice).toContainText('2 connections, the latest just now: ')
  await expect(notice.locator('p')).toHaveCount(1)
  await notice.getByRole('link', { name: 'Review' }).click()
  await page
    .getByRole('link', { name: /^Revoke Connection of/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^Revoke connection Connection of/ }).click()
  await expect(page.getByText('Revoked. The app loses access on its next call.')).toBeVisible()
  await expect(page.locator('[aria-live=polite]')).toContainText('just now. Was this you?')
})

test('Revoking asks for confirmation, focuses the question, and can be cancelled', async ({ page }) => {
  await signInAtGateway(page, 'Yuki')
  await approve(page, 'Kept after all')
  await page.goto(`${vaspOrigin()}/connections`)
  await page
    .getByRole('link', { name: /^Revoke Connection of/ })
    .first()
    .press('Enter')
  await expect(page.getByRole('region', { name: /^Revoke Connection of .*\?$/ })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Revoke connection/ })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Revoke connection/ })).toHaveCount(0)
  await expect(page.getByText('● Active').first()).toBeVisible()
})

test('A connection can be renamed', async ({ page }) => {
  await signInAtGateway(page, 'Bob')
  await approve(page, 'To be renamed')
  await page.goto(`${vaspOrigin()}/connections`)
  await page
    .getByRole('link', { name: /^Rename / })
    .first()
    .click()
  const name = page.getByRole('textbox', { name: /New name of/ })
  await expect(name).toBeFocused()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(name).toHaveCount(0)
  await page
    .getByRole('link', { name: /^Rename / })
    .first()
    .click()
  await name.fill('<b>Book shop</b>')
  await page.getByRole('button', { name: 'Rename connection' }).click()
  await expect(page.getByRole('heading', { name: '<b>Book shop</b>' })).toBeVisible()
})

test('Signing out ends the session on the server, and connections stay valid', async ({ page, context }) => {
  await signInAtGateway(page, 'Alice')
  await approve(page, 'Outlives the session')
  const connectionPage = page.url()
  await page.goto(`${vaspOrigin()}/connections`)
  const kept = await context.cookies(vaspOrigin())
  await page.getByRole('link', { name: 'Northbank' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Alice' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Apps', exact: true })).toBeVisible()
  await expect(page.getByText('$alice@')).toBeVisible()
  await openMenu(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
  await context.addCookies(kept)
  await page.goto(`${vaspOrigin()}/connections`)
  await expect(page).toHaveURL(/\/login/)
  await page.goto(connectionPage)
  await page.getByRole('button', { name: 'Call get_info' }).click()
  await expect(page.getByText('GET /umanwc/v1/info').first()).toBeVisible()
  await expect(page.getByText('An app would see')).toHaveCount(0)
})

test('A wrong password does not lose the gateway’s request', async ({ page }) => {
  await page.goto(`${gatewayOrigin()}/login?return=/`)
  await page.getByText('Sign in with name and password').click()
  await page.getByLabel('User name').fill('alice')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('Wrong user name or password.')).toBeVisible()
  await expect(page.getByRole('complementary')).toContainText(gatewayOrigin())
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  await expect(page.getByRole('heading', { name: 'Connections of $alice@' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('picking a user signs in and the connections page works', async ({ page }) => {
    await signInAtGateway(page, 'Alice')
    await page.goto(`${vaspOrigin()}/connections`)
    await expect(page.getByRole('heading', { name: 'Connections', exact: true })).toBeVisible()
  })

  test('a connection can be renamed and revoked', async ({ page }) => {
    await signInAtGateway(page, 'Khalid')
    await approve(page, 'Without a script')
    await page.goto(`${vaspOrigin()}/connections`)
    await page
      .getByRole('link', { name: /^Rename / })
      .first()
      .click()
    await page.getByRole('textbox', { name: /New name of/ }).fill('Plain shop')
    await page.getByRole('button', { name: 'Rename connection' }).click()
    await page.getByRole('link', { name: 'Revoke Plain shop' }).click()
    await page.getByRole('button', { name: 'Revoke connection Plain shop' }).click()
    await expect(page.getByText('Revoked. The app loses access on its next call.')).toBeVisible()
  })
})

test('A missing page says so in its title', async ({ page }) => {
  await page.goto(`${vaspOrigin()}/no-such-page`)
  await expect(page).toHaveTitle('Not found · Northbank Sandbox')
})

test('A user who takes longer than 10 minutes to sign in sees the reason and what to do', async ({ page }) => {
  const callback = `${gatewayOrigin()}/auth/vasp_token_callback`
  await page.goto(`${vaspOrigin()}/connect?redirect_uri=${encodeURIComponent(callback)}`)
  const old = `/connect?pending=${await pendingOf11MinutesAgo(page, callback)}`
  // Sends what the form would send after that time. The page's script may overwrite values that are typed into its fields.
  await page.route('**/api/auth/callback/credentials', (route) => {
    const form = new URLSearchParams(route.request().postData() ?? '')
    form.set('callbackUrl', old)
    return route.continue({ postData: form.toString() })
  })
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  const message = page.getByRole('main').getByRole('alert')
  await expect(message).toContainText('request is older than 10 minutes')
  await expect(message).toContainText('Start again in the app that sent you here.')
  await expect(page.getByText('You are signed in as $alice@')).toBeVisible()
  expect(new URL(page.url()).origin).toBe(vaspOrigin())
  await page.getByRole('link', { name: 'Continue as Alice' }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
})

async function pendingOf11MinutesAgo(page: Page, redirectUri: string): Promise<string> {
  const sandbox = readSandbox({ DATA_DIR: sharedStack().settings.DATA_DIR })
  if (sandbox === undefined) throw new Error('the server has no settings file')
  const cookie = (await page.context().cookies()).find(({ name }) => name.endsWith('csrf'))
  const binding = decodeURIComponent(cookie?.value ?? '').split('|')[0] ?? ''
  const clock = { now: () => new Date(Date.now() - 11 * 60_000) }
  const vasp = makeProtocol({
    settings: sandbox.settings,
    keys: { signing: undefined, verification: [] },
    node: { identity: {} },
    ids: randomIds,
    clock,
  } as unknown as Application)
  const query = new URLSearchParams({ redirect_uri: redirectUri })
  const login = await vasp.login.start({ method: 'GET', url: `/connect?${query}` }, binding)
  if (login instanceof Response) throw new Error(await login.text())
  return login.pending
}
