import type { Page } from 'playwright/test'
import { pairStackShop } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import {
  approve,
  expect,
  gatewayOrigin,
  makeInvoice,
  previewInvoice,
  shopOrigin,
  signInAtGateway,
  signInAtVasp,
  test,
  vaspOrigin,
} from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'
import { approveForShop, askToConnect, buyFirst } from '../support/shop'

async function expectNoFaultsAt(page: Page, url: string): Promise<void> {
  await page.goto(url)
  expect(await layoutShift(page), `layout shift of ${url}`).toBeLessThan(0.02)
  await expectNoFaults(page, NARROWEST)
}

/** How far the content of a page has moved while the page was built, by the measure of Core Web Vitals (0.1 is good). */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => {
    const observer = new PerformanceObserver(() => undefined)
    observer.observe({ type: 'layout-shift', buffered: true })
    const shifts = observer.takeRecords() as (PerformanceEntry & { readonly value: number })[]
    return shifts.reduce((sum, { value }) => sum + value, 0)
  })
}

test('every page is free of accessibility faults and fits its width, on a desktop and a phone, light and dark', async ({
  page,
}) => {
  await expectNoFaultsAt(page, vaspOrigin())
  await expectNoFaultsAt(page, gatewayOrigin())
  await expectNoFaultsAt(page, `${gatewayOrigin()}/login?return=/`)
  await expectNoFaultsAt(page, `${vaspOrigin()}/login?error=CredentialsSignin`)
  await expectNoFaultsAt(page, `${vaspOrigin()}/no-such-page`)
  await signInAtGateway(page, 'Alice')
  await expectNoFaultsAt(page, `${gatewayOrigin()}/connection/new`)
  await approve(page, 'A shop with a name that is long enough to need more than one line on a phone')
  await expectNoFaultsAt(page, page.url())
  await expectNoFaultsAt(page, `${vaspOrigin()}/connections?done=renamed`)
  for (const question of ['Rename', 'Revoke']) {
    const link = page.getByRole('link', { name: new RegExp(`^${question} Connection of`) }).first()
    await expectNoFaultsAt(page, `${vaspOrigin()}${(await link.getAttribute('href')) ?? ''}`)
    await page.goto(`${vaspOrigin()}/connections`)
  }
  await expectNoFaultsAt(page, `${vaspOrigin()}/connections?revoke-today`)
  await expectNoFaultsAt(page, `${vaspOrigin()}/connections?revoke-unused=1`)
  await expectNoFaultsAt(page, `${vaspOrigin()}/status`)
  await expectNoFaultsAt(page, `${vaspOrigin()}/developers/start`)
  await expectNoFaults(page, NARROWEST)
  // Its doctor arrives after the rest of the page.
  await expectNoFaultsAt(page, `${vaspOrigin()}/developers/gateway`)
  for (const path of ['/show', '/show?calls=shown', '/show?confirm=next', '/show?confirm=revoke']) {
    await expectNoFaultsAt(page, `${vaspOrigin()}${path}`)
    await expectNoFaults(page, NARROWEST)
  }
  await page.goto(`${vaspOrigin()}/developers/api`)
  await page.locator('main details').evaluateAll((parts) => {
    for (const part of parts) part.setAttribute('open', '')
  })
  await expectNoFaults(page)
  await expectNoFaultsAt(page, vaspOrigin())
})

test('every page about money is free of accessibility faults and fits its width, on a desktop and a phone, light and dark', async ({
  page,
  otherPage,
}) => {
  test.setTimeout(900_000)
  await signInAtVasp(otherPage, 'Bob')
  const memo = 'A_memo_without_a_blank_that_is_longer_than_a_line_of_a_phone'
  const open = await makeInvoice(otherPage, { amount: '1,000', memo })
  const openPage = otherPage.url()
  await makeInvoice(otherPage, { amount: '5', memo: `Soon gone, ${memo}`, expiry: '10 seconds (to test expiry)' })
  const expiredPage = otherPage.url()
  const amountless = await makeInvoice(otherPage, { memo: 'What you like' })

  await signInAtVasp(page, 'Alice')
  const send = `${vaspOrigin()}/wallets/send`
  for (const url of [
    vaspOrigin(),
    `${vaspOrigin()}/login`,
    `${vaspOrigin()}/wallets`,
    `${vaspOrigin()}/search`,
    `${vaspOrigin()}/search?q=${'0'.repeat(64)}`,
    `${vaspOrigin()}/activity`,
    `${vaspOrigin()}/activity?direction=sent&text=x`,
    `${vaspOrigin()}/activity?from=x&least=1,5&currency=XYZ`,
    `${vaspOrigin()}/activity/statement`,
    `${vaspOrigin()}/activity/statement?from=x`,
    `${vaspOrigin()}/wallets/USD?done=faucet`,
    `${vaspOrigin()}/wallets/SAT?error=amount.invalid&amount=x`,
    `${vaspOrigin()}/wallets/USD?before=1`,
    `${vaspOrigin()}/wallets/XYZ`,
    `${vaspOrigin()}/wallets/convert?from=USD&to=EUR&amount=1.00&gives=92&until=1&id=3f1c2a57-0d0e-4b1b-9d7e-2f4f6a1b9c10`,
    `${vaspOrigin()}/wallets/receive`,
    `${vaspOrigin()}/wallets/receive?tab=invoice&error=description.invalid&currency=EUR&amount=1&description=x`,
    `${vaspOrigin()}/wallets/receive?tab=uma&error=payer.invalid&uma-amount=1&payer=x`,
    send,
    `${send}?invoice=hello`,
    `${send}?invoice=${open}`,
    `${send}?invoice=${open}&error=failed`,
    `${send}?invoice=${amountless}`,
    `${vaspOrigin()}/invoices`,
  ])
    await expectNoFaultsAt(page, url)
  await previewInvoice(page, open)
  await page.getByRole('button', { name: /^Pay / }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expectNoFaultsAt(page, page.url())

  await expect(async () => {
    await otherPage.goto(expiredPage)
    await expect(otherPage.getByText('× Expired')).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 60_000 })
  await expectNoFaultsAt(otherPage, expiredPage)
  await expectNoFaultsAt(otherPage, openPage)
  await makeInvoice(otherPage, { amount: '7', memo })
  await expectNoFaultsAt(otherPage, otherPage.url())
  for (const tab of ['open', 'paid', 'expired'])
    await expectNoFaultsAt(otherPage, `${vaspOrigin()}/invoices?tab=${tab}`)
})

test('every page of the shop and of its sign-in is free of accessibility faults and fits its width, on a desktop and a phone, light and dark', async ({
  page,
}) => {
  const places = { shopOrigin: shopOrigin(), vaspOrigin: vaspOrigin() }
  for (const path of ['/', '/wallet', '/merchant', '/no-such-page'])
    await expectNoFaultsAt(page, `${shopOrigin()}${path}`)
  await page.goto(`${shopOrigin()}/wallet`)
  await page.locator('#address').fill('no address')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('BAD_ADDRESS')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await pairStackShop(sharedStack())
  await askToConnect(page, places, 'Alice')
  await expectNoFaultsAt(page, page.url())
  await page.getByLabel('Amount in USD').fill('much')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('Enter an amount above zero')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByLabel('Amount in USD').fill('50')
  await approveForShop(page)
  await expectNoFaultsAt(page, page.url())
  await buyFirst(page, places)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
  await expectNoFaultsAt(page, page.url())
  await expectNoFaultsAt(page, shopOrigin())
  await page.goto(`${gatewayOrigin()}/login?return=/`)
  await page.locator('main li a').first().click()
  await expect(page.getByRole('heading', { name: 'The app can' })).toBeVisible()
  await expectNoFaultsAt(page, page.url())
})

test('a rejected form is answered with a page in the usual style and the right status, in both themes and without a session', async ({
  page,
}) => {
  for (const [status, path, fields] of [
    [403, '/logout', ''],
    [403, '/wallets/faucet', ''],
    [413, '/wallets/send/confirm', `<input name="invoice" value="${'x'.repeat(70_000)}">`],
    [403, '/api/auth/callback/credentials', ''],
    [405, '/connect', ''],
  ] as const) {
    await page.goto('about:blank')
    await page.setContent(`<form method="post" action="${vaspOrigin()}${path}">${fields}<button>Send</button></form>`)
    const answer = page.waitForResponse((response) => response.url() === `${vaspOrigin()}${path}`)
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await answer).status(), path).toBe(status)
    await expect(page.getByRole('link', { name: 'Home', exact: true })).toBeVisible()
    // The content policy of the response allows the page's style.
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).paddingTop), path).toBe('64px')
    await expectNoFaults(page, NARROWEST)
  }
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page).toHaveURL(`${vaspOrigin()}/`)
})
