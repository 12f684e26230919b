import type { Page } from 'playwright/test'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, gatewayOrigin, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

const wire = (query = ''): string => `${vaspOrigin()}/developers/wire${query}`

/** A login with a `redirect_uri` of another site. Each host is used by one test, so that its events can be found. */
async function refuseLogin(host: string): Promise<void> {
  const redirectUri = encodeURIComponent(`https://${host}/auth`)
  const answer = await fetch(`${vaspOrigin()}/connect?redirect_uri=${redirectUri}`, { redirect: 'manual' })
  expect(answer.status).toBe(400)
}

function tokenOf(username: string, permissions: readonly string[] = ['get_info', 'get_balance']): Promise<string> {
  return fetchToken({
    vaspOrigin: vaspOrigin(),
    gatewayRootUrl: gatewayOrigin(),
    instance: 'northbank',
    username,
    password: 'sandbox',
    permissions,
  })
}

async function call(path: string, token: string): Promise<number> {
  const answer = await fetch(`${vaspOrigin()}/umanwc/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })
  return answer.status
}

/** Pays Bob 25 satoshis by keysend at our own node, as an app would. */
async function payBob(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  const info = await fetch(`${vaspOrigin()}/umanwc/v1/info`, { headers })
  const { pubkey } = (await info.json()) as { pubkey: string }
  const records = [{ type: 696_969, value: Buffer.from('bob').toString('hex') }]
  const body = JSON.stringify({ amount: 25_000, pubkey, tlv_records: records })
  const answer = await fetch(`${vaspOrigin()}/umanwc/v1/payments/keysend`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

const rows = (page: Page) => page.getByRole('region', { name: 'Events' }).getByRole('listitem')

/** Events are stored within 100 ms. */
async function openNewest(page: Page, query: string): Promise<void> {
  await expect(async () => {
    await page.goto(wire(query))
    const newest = rows(page).first()
    if ((await newest.locator('summary').count()) > 0) await newest.locator('summary').click({ timeout: 1_000 })
    await newest.locator('a.row-link').last().click({ timeout: 1_000 })
  }).toPass()
  await expect(page).toHaveURL(/\/developers\/wire\/\d+$/)
}

test('a refused login is found with both origins, and their difference is marked', async ({ page }) => {
  await refuseLogin('refused.example')
  await signInAtVasp(page, 'Alice')
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Developers' }).click()
  await main.getByRole('link', { name: 'The Wire' }).click()
  await expect(page.getByRole('heading', { name: 'The Wire' })).toBeVisible()
  await openNewest(page, '?show=login&status=failed&text=refused.example')
  const origins = page.getByRole('region', { name: 'Origins' })
  await expect(origins.locator('dd').first()).toHaveText('https://refused.example')
  await expect(origins.locator('dd').last()).toHaveText(gatewayOrigin())
  await expect(origins.locator('mark').first()).toHaveText('https://')
  await expect(origins).toContainText('The login was refused because the origins differ.')
  await expectNoFaults(page, NARROWEST)
})

test('a refused call shows the check that failed, the claims and what the app receives', async ({ page }) => {
  const token = await tokenOf('alice')
  expect(await call('/transactions', token)).toBe(403)
  await signInAtVasp(page, 'Alice')
  await openNewest(page, '?show=list_transactions&status=failed')
  const checks = page.getByRole('region', { name: 'Checks' }).getByRole('listitem')
  await expect(checks.filter({ hasText: '✓ passed' })).toHaveCount(5)
  await expect(checks.filter({ hasText: '× failed' })).toContainText('The user granted this command')
  await expect(checks.filter({ hasText: '○ not reached' })).toHaveCount(3)
  await expect(page.getByRole('region', { name: 'Token' })).toContainText('get_info get_budget get_balance')
  await expect(page.getByRole('region', { name: 'What the app receives' })).toContainText('"code": "RESTRICTED"')
  await expect(page.getByRole('region', { name: 'Specification and source' })).toContainText('invoice-methods.ts')
  await expect(page.getByRole('region', { name: 'Call it with curl' })).toContainText('Authorization: Bearer $TOKEN')
  await expect(page.getByRole('main')).not.toContainText(token)
  await expectNoFaults(page, NARROWEST)
})

test('a call with a bad token is found, and its page shows the failed check', async ({ page }) => {
  expect(await call('/balance', 'a.b.c')).toBe(401)
  await signInAtVasp(page, 'Alice')
  await openNewest(page, '?show=get_balance&status=failed')
  await expect(page).toHaveTitle('GET /balance 401 · Northbank Sandbox')
  const failed = page.getByRole('region', { name: 'Checks' }).getByRole('listitem').filter({ hasText: '× failed' })
  await expect(failed).toContainText('The header does not hold one token of the form that this server issues.')
})

test('a connection leads to its calls, and another user cannot open them', async ({ page, otherPage }) => {
  const token = await tokenOf('bob')
  expect(await call('/info', token)).toBe(200)
  await signInAtVasp(page, 'Bob')
  await page.goto(`${vaspOrigin()}/connections`)
  await page
    .getByRole('link', { name: /^Calls of / })
    .first()
    .click()
  await expect(page).toHaveURL(/\/developers\/wire\?connection=/)
  await expect(rows(page).filter({ hasText: 'POST /token' })).toHaveCount(1)
  await rows(page).filter({ hasText: 'GET /info' }).getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'GET /info' })).toBeVisible()
  await signInAtVasp(otherPage, 'Alice')
  expect((await otherPage.goto(page.url()))?.status()).toBe(404)
})

test('new events appear automatically, a pause holds them back, and the filter applies to them', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(wire('?text=live.example'))
  await expect(page.getByText('No event matches.')).toBeVisible()
  await refuseLogin('live.example')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await refuseLogin('other.example')
  await refuseLogin('live.example')
  await expect(page.getByText('Paused. 1 new.')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(rows(page)).toHaveCount(2)
})

test('the list is filtered by keyboard, keeps the filter in the address and has no accessibility fault', async ({
  page,
}) => {
  await refuseLogin('keyboard.example')
  await signInAtVasp(page, 'Alice')
  await page.goto(wire())
  await expect(rows(page).first()).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByLabel('Show').focus()
  await page.keyboard.type('Login')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Failed')
  await page.keyboard.press('Tab')
  await page.keyboard.type('keyboard.example')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\?show=login&connection=&status=failed&text=keyboard\.example$/)
  await expect(rows(page)).toHaveCount(1)
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Text')).toHaveValue('keyboard.example')
  await expectNoFaults(page, NARROWEST)
  await page.goto(wire('?text=nothing-has-this-text'))
  await expectNoFaults(page, NARROWEST)
})

test('a call that pays links to its payment, and the payment to its events', async ({ page }) => {
  await payBob(await tokenOf('alice', ['get_info', 'pay_keysend']))
  await signInAtVasp(page, 'Alice')
  await openNewest(page, '?show=pay_keysend&status=ok')
  await expectNoFaults(page, NARROWEST)
  const entry = page.url()
  await page.getByRole('link', { name: 'Open this payment' }).click()
  const events = page.getByRole('region', { name: 'In The Wire' })
  await expect(events.getByRole('link')).toHaveText(['payment succeeded', 'POST /payments/keysend'])
  await expectNoFaults(page, NARROWEST)
  await events.getByRole('link', { name: 'POST /payments/keysend' }).click()
  await expect(page).toHaveURL(entry)
})

/** An invoice of Bob over this amount, which is in one event only, as an app creates it. */
async function invoiceOfBob(amountSats: number): Promise<string> {
  const headers = { Authorization: `Bearer ${await tokenOf('bob', ['get_info', 'make_invoice'])}` }
  const body = JSON.stringify({ amount: amountSats * 1_000 })
  const answer = await fetch(`${vaspOrigin()}/umanwc/v1/invoice`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { invoice: string }).invoice
}

test('events of one payment are one row, which stays open when another event joins it, and can be shown alone', async ({
  page,
}) => {
  await signInAtVasp(page, 'Bob')
  await page.goto(wire())
  const invoice = await invoiceOfBob(4_321)
  const story = page.locator('main details', { hasText: '4,321 SAT' })
  const [line, steps] = [story.locator('summary'), story.getByRole('list', { name: 'Events in order' })]
  await expect(line).toContainText('POST /invoice · 2 events')
  await expect(steps).toBeHidden()
  await line.focus()
  await page.keyboard.press('Enter')
  await expect(steps.getByRole('listitem')).toHaveCount(2)
  await expect(steps.getByRole('listitem').first()).toContainText('App → VASP')

  const headers = { Authorization: `Bearer ${await tokenOf('alice', ['get_info', 'pay_invoice'])}` }
  const body = JSON.stringify({ invoice })
  const answer = await fetch(`${vaspOrigin()}/umanwc/v1/payments/bolt11`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  await expect(line).toContainText('Received 4,321 SAT · 3 events')
  await expect(steps.getByRole('listitem')).toHaveCount(3)
  await expectNoFaults(page)
  await expectNoFaults(page, NARROWEST)

  await story.getByRole('link', { name: 'This payment only' }).click()
  await expect(page).toHaveURL(/\?story=[\da-f]{64}$/)
  await expect(page.locator('main section > ol > li')).toHaveCount(1)
  await expect(steps.getByRole('listitem')).toHaveCount(3)
  await expectNoFaults(page)
  await page.getByRole('link', { name: 'Show all' }).click()
  await expect(page).toHaveURL(/\/wire$/)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the list is read, filtered and opened', async ({ page }) => {
    await refuseLogin('plain.example')
    await signInAtVasp(page, 'Alice')
    await page.goto(wire())
    await expect(page.getByRole('button', { name: 'Pause' })).toBeHidden()
    await page.getByLabel('Text').fill('plain.example')
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect(rows(page)).toHaveCount(1)
    await rows(page).getByRole('link').click()
    await expect(page.getByRole('region', { name: 'Origins' })).toContainText('https://plain.example')
  })
  test('a story is opened and shown alone', async ({ page }) => {
    await invoiceOfBob(5_432)
    await signInAtVasp(page, 'Bob')
    const story = page.locator('main details', { hasText: '5,432 SAT' })
    await expect(async () => {
      await page.goto(wire())
      await story.locator('summary').click({ timeout: 1_000 })
    }).toPass()
    await expect(story.getByRole('listitem')).toHaveCount(2)
    await story
      .getByRole('link', { name: 'This request only' })
      .or(story.getByRole('link', { name: 'This payment only' }))
      .click()
    await expect(page.locator('main section > ol > li')).toHaveCount(1)
    await expect(story.getByRole('listitem')).toHaveCount(2)
  })
})

test('a row whose name needs two lines on a phone keeps its time and its status beside the first line', async ({
  page,
}) => {
  await fetch(`${vaspOrigin()}/.well-known/uma-configuration`)
  await signInAtVasp(page, 'Alice')
  await page.setViewportSize({ width: 320, height: 844 })
  await expect(async () => {
    await page.goto(wire('?text=configuration'))
    await expect(rows(page).first()).toBeVisible({ timeout: 1_000 })
  }).toPass()
  const row = rows(page).filter({ hasText: 'UMA Auth configuration read' }).first()
  const { lines, bottoms } = await row.evaluate((each) => {
    const linesOf = (selector: string): DOMRect[] => {
      const text = document.createRange()
      text.selectNodeContents(each.querySelector(selector) ?? each)
      return [...text.getClientRects()]
    }
    const name = linesOf('a code')
    return {
      lines: name.length,
      bottoms: [name, linesOf('time'), linesOf('.figures')].map(([first]) => first?.bottom ?? 0),
    }
  })
  expect(lines).toBeGreaterThan(1)
  expect(Math.max(...bottoms) - Math.min(...bottoms)).toBeLessThan(8)
})
