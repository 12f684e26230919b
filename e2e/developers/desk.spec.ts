import type { Page } from 'playwright/test'
import { pairStackShop, startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test } from '../support/fixtures'

let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack?.stop())

async function openDesk(page: Page): Promise<void> {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/sandbox`)
  await expect(page.getByRole('heading', { name: 'Sandbox desk' })).toBeVisible()
}

test('one user is reset with the keyboard, after a confirmation, and the page has no accessibility fault', async ({
  page,
}) => {
  await fetch(`${stack.vaspOrigin}/connect?redirect_uri=${encodeURIComponent('https://other.example/callback')}`)
  await openDesk(page)
  await expect(page.getByRole('region', { name: 'Events without an owner' })).toContainText('https://other.example')
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('link', { name: 'Reset Bob' }).press('Enter')
  await expect(page.getByText('Reset Bob?')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: 'Reset Bob' }).press('Enter')
  await expect(page.getByText('✓ 1 user reset.')).toBeVisible()
})

test('a reset takes added test money back', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  const before = await page
    .getByRole('main')
    .getByText(/^1,240\.50/)
    .count()
  expect(before).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Add test money' }).click()
  await expect(page.getByText('1,340.50').first()).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/sandbox`)
  await page.getByRole('link', { name: 'Reset all' }).click()
  await page.getByRole('button', { name: /^Reset \d+ users$/ }).click()
  await expect(page.getByText(/^✓ \d+ users reset\.$/)).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  await expect(
    page
      .getByRole('main')
      .getByText(/^1,240\.50/)
      .first(),
  ).toBeVisible()
})

test('a user is suspended with the keyboard, after a confirmation, and resumed', async ({ page }) => {
  await openDesk(page)
  await expect(page.getByRole('link', { name: 'Suspend Alice' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Suspend Khalid' }).press('Enter')
  await expect(page.getByText('Suspend Khalid?')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: 'Suspend Khalid' }).press('Enter')
  await expect(page.getByText('Khalid is suspended.')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: 'Resume Khalid' }).press('Enter')
  await expect(page.getByText('Khalid is active.')).toBeVisible()
})

test('a rate is pinned, moved and unpinned, and other open pages follow', async ({ page, context }) => {
  await openDesk(page)
  const rates = page.getByRole('region', { name: 'Rates' })
  const wallets = await context.newPage()
  await wallets.goto(`${stack.vaspOrigin}/sandbox`)
  const other = wallets.getByRole('region', { name: 'Rates' })
  await rates.getByLabel('Currency').selectOption('USD')
  const price = rates.getByLabel('Price of one bitcoin')
  await price.fill('5')
  await price.press('Enter')
  await expect(rates.getByRole('alert')).toContainText('between 10,000.00 USD and 1,000,000.00 USD')
  await expect(price).toHaveValue('5')
  await expectNoFaults(page, NARROWEST)

  await price.fill('50,000')
  await price.press('Enter')
  await expect(rates).toContainText('1 bitcoin is pinned at 50,000.00 USD.')
  await expect(other).toContainText('50,000.00')
  await expectNoFaults(page, NARROWEST)
  await rates.getByRole('button', { name: '+10 %' }).click()
  await expect(rates).toContainText('1 bitcoin is pinned at 55,000.00 USD.')

  // One dollar is worth 1,818 satoshis instead of 1,000.
  await wallets.goto(`${stack.vaspOrigin}/wallets/USD`)
  await wallets.getByLabel('Amount in USD').fill('1')
  await wallets.getByLabel('Convert to').selectOption('SAT')
  await wallets.getByRole('button', { name: 'Continue' }).click()
  await wallets.getByRole('button', { name: 'Convert 1.00 USD' }).click()
  await expect(wallets.getByRole('main')).toContainText('1,818')

  await rates.getByRole('button', { name: 'Unpin USD' }).click()
  await expect(rates).toContainText('USD has its listed rate.')
  await expect(rates).toContainText('100,000.00')
})

test('the shop is paired from the desk without typing, sells, and is unpaired after a confirmation', async ({
  page,
}) => {
  await openDesk(page)
  const shop = page.getByRole('region', { name: 'Shop' })
  await expect(shop).toContainText('Not paired')
  const pair = async (link: string): Promise<void> => {
    await shop.getByRole('link', { name: link }).click()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('link', { name: /^Continue to/ }).click()
    const approval = page.getByRole('heading', { name: /^Connect Tern & Quill to \$bob@/ })
    const asBob = page.getByRole('button', { name: 'Continue as Bob' })
    await expect(approval.or(asBob).first()).toBeVisible()
    if (await asBob.isVisible()) await asBob.click()
    await expect(approval).toBeVisible()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(page).toHaveURL(`${stack.vaspOrigin}/sandbox#shop`)
    await page.waitForLoadState()
  }
  await pair('Pair the shop')
  await expect(shop).toContainText(`● Paired with $bob@${new URL(stack.vaspOrigin).host}`)
  await expectNoFaults(page, NARROWEST)

  await shop.getByRole('link', { name: 'Open the shop' }).click()
  await page
    .getByRole('button', { name: /^Buy: / })
    .first()
    .click()
  await expect(page.getByText(/lnbcrt/).first()).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/sandbox`)
  await shop.getByRole('link', { name: 'Pair again' }).click()
  await expect(page.getByText('A new connection replaces it.')).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/sandbox`)
  await pair('Pair again')

  await shop.getByRole('link', { name: 'Unpair the shop' }).press('Enter')
  await expect(page.getByText('Unpair the shop?')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: 'Unpair the shop' }).press('Enter')
  await expect(shop).toContainText('✓ The shop is unpaired.')
  await expect(shop).toContainText('Not paired')
  await page.goto(stack.shopOrigin)
  await page
    .getByRole('button', { name: /^Buy: / })
    .first()
    .click()
  await expect(page.getByText('No invoice was created').first()).toBeVisible()
  await pairStackShop(stack)
  await page.goto(`${stack.vaspOrigin}/sandbox`)
  await expect(shop).toContainText('● Paired with $bob@')
})

test('another test user is signed in with one press', async ({ page }) => {
  await openDesk(page)
  await page.getByRole('button', { name: 'Sign in as Penny' }).click()
  await expect(page).toHaveURL(`${stack.vaspOrigin}/wallets`)
  await expect(page.getByRole('banner')).toContainText('Penny')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('users are listed and reset', async ({ page }) => {
    await openDesk(page)
    await page.getByRole('link', { name: 'Reset Yuki' }).click()
    await page.getByRole('button', { name: 'Reset Yuki' }).click()
    await expect(page.getByText('✓ 1 user reset.')).toBeVisible()
  })
})
