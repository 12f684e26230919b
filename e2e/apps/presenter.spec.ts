import type { Page } from 'playwright/test'
import { pairStackShop, startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test } from '../support/fixtures'
import { startWalk } from '../support/walk'

// A stack of its own, because "Next audience" resets every user.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
  await pairStackShop(stack)
})
test.afterAll(() => stack?.stop())

const MOST_CLICKS = 16

/** The show from its first step to the press for the next audience, in two tabs of one window. */
async function giveShow(page: Page, user: string): Promise<{ readonly clicks: number; readonly pages: number }> {
  const show = startWalk(page)
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const opening = page.waitForEvent('popup')
  await show.press(page.getByRole('link', { name: 'Open the shop' }))
  const app = await opening
  await app.waitForLoadState()
  const shop = startWalk(app)
  const button = (name: string | RegExp) => app.getByRole('button', { name })
  await expect(app.getByLabel('Your UMA address')).toHaveValue(`$alice@${new URL(stack.vaspOrigin).host}`)

  await shop.press(app.getByRole('button', { name: 'Connect', exact: true }))
  await shop.press(app.getByRole('link', { name: /^Continue to/ }))
  if (user !== 'Alice') await shop.press(button('Continue as Alice'))
  await expect(app.getByRole('heading', { name: /^Connect Tern & Quill to \$alice@/ })).toBeVisible()
  await shop.press(app.getByRole('button', { name: 'Connect', exact: true }))
  await expect(app.getByRole('heading', { name: 'Catalogue' })).toBeVisible()
  await expect(app.getByText('Your orders')).toHaveCount(0)
  await shop.press(button('Buy: Linen thread'))
  await shop.press(button(/^Pay .* from/))
  await expect(app.getByText('Paid. Thank you')).toBeVisible()

  // The tab of the show belongs to Alice now, whoever opened it.
  await expect(page.getByText('pay_invoice')).toHaveCount(0)
  await show.press(link('Show the calls'))
  await expect(page.getByRole('region', { name: 'Events' })).toContainText('Paid 350 SAT')
  await expect(page.getByRole('banner')).toContainText('Alice')

  const events = page.getByRole('region', { name: 'Events' }).getByRole('listitem')
  const before = await events.count()
  await shop.press(app.getByRole('link', { name: 'Back to the catalogue' }))
  await shop.press(button('Buy: Bench press'))
  await shop.press(button(/^Pay .* from/))
  await expect(app.getByText('QUOTA_EXCEEDED').first()).toBeVisible()
  await expect.poll(() => events.count(), 'calls of the refused payment appear').toBeGreaterThan(before)

  await show.press(link('Revoke the shop'))
  await show.press(page.getByRole('button', { name: 'Revoke the shop' }))
  await expect(page.getByText('✓ Revoked.')).toBeVisible()
  await shop.press(button(/^Pay .* from/))
  await expect(app.getByText('UNAUTHORIZED').first()).toBeVisible()

  await show.press(link('Next audience'))
  await expect(page.getByText('Prepare for the next audience?')).toBeVisible()
  await show.press(page.getByRole('button', { name: 'Prepare for the next audience' }))
  await expect(page.getByText('✓ The shop is paired again and has forgotten its visitors.')).toBeVisible()
  await expect(page.getByRole('banner')).toContainText('Alice')
  await app.close()
  return { clicks: show.clicks() + shop.clicks(), pages: show.pages() + shop.pages() }
}

test('A presenter gives the whole show twice, in at most 16 clicks in one window, and stays signed in', async ({
  page,
}) => {
  await signInAtVasp(page, 'Khalid', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/show`)
  const first = await giveShow(page, 'Khalid')
  expect(first.clicks, 'clicks with the sign-in page').toBeLessThanOrEqual(MOST_CLICKS)
  expect(first.pages, 'page loads').toBeLessThanOrEqual(14)
  // The next show begins where this one ended: the audience sees no wallet and no order of the last one.
  await page.goto(`${stack.vaspOrigin}/show`)
  const second = await giveShow(page, 'Alice')
  expect(second.clicks, 'clicks without it').toBe(first.clicks - 1)
})

test('“Next audience” works with the keyboard and without JavaScript, and has no accessibility fault', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${stack.vaspOrigin}/login`)
  await page.getByRole('button', { name: 'Continue as Khalid' }).click()
  await page.goto(`${stack.vaspOrigin}/show`)
  await page.getByRole('link', { name: 'Next audience' }).press('Enter')
  await page.getByRole('button', { name: 'Prepare for the next audience' }).press('Enter')
  await expect(page.getByText('✓ 5 users reset.')).toBeVisible()
  await expect(page.getByText('✓ The shop is paired again')).toBeVisible()
  await expect(page.getByRole('banner')).toContainText('Khalid')
  await context.close()
})

test('a shop that does not answer is named, with what to do, before and after the press', async ({ page }) => {
  await signInAtVasp(page, 'Khalid', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/show`)
  await expect(page.getByText('does not answer')).toHaveCount(0)
  await stack.kill('shop')
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('main').getByRole('alert')).toContainText(
      `The shop at ${stack.shopOrigin} does not answer. Start it`,
      {
        timeout: 500,
      },
    )
  }).toPass({ timeout: 60_000 })
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('link', { name: 'Next audience' }).press('Enter')
  await page.getByRole('button', { name: 'Prepare for the next audience' }).press('Enter')
  await expect(page.getByText('It is not paired, and still knows its visitors.')).toBeVisible()
  await expect(page.getByText('✓ 5 users reset.')).toBeVisible()
  await expectNoFaults(page)
  await stack.revive('shop')
  await page.getByRole('link', { name: 'Next audience' }).press('Enter')
  await page.getByRole('button', { name: 'Prepare for the next audience' }).press('Enter')
  await expect(page.getByText('✓ The shop is paired again')).toBeVisible()
})
