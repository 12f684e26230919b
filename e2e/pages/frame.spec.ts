import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, openMenu, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

test('two clicks on any page change the test user, and the home page greets the new one', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/connections`)
  await openMenu(page)
  await page.getByRole('button', { name: 'Continue as Bob' }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  await page.getByRole('banner').getByRole('link', { name: 'Northbank' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Bob' })).toBeVisible()
})

test('the menu works without JavaScript: user, settings, colours, sign-out', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${vaspOrigin()}/login`)
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  await openMenu(page)
  await page.getByRole('button', { name: 'Continue as Bob' }).click()
  await openMenu(page)
  await page.getByRole('banner').getByRole('button', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await openMenu(page)
  await page.getByRole('banner').getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('definition').first()).toContainText('$bob@')
  await openMenu(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
  await context.close()
})

test('the menu closes on Escape, on a click elsewhere and on a link, and keeps the focus', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  const item = page.getByRole('banner').getByRole('link', { name: 'Sandbox desk' })
  const summary = page.locator('header summary')
  await summary.press('Enter')
  await expect(item).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(item).toBeHidden()
  await expect(summary).toBeFocused()
  await openMenu(page)
  await page.getByRole('heading', { name: 'Wallets', exact: true }).click()
  await expect(item).toBeHidden()
  await openMenu(page)
  await item.click()
  await expect(page.getByRole('heading', { name: 'Sandbox desk' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' }).locator('[aria-current]')).toHaveText([
    'Developers',
    'Sandbox desk',
  ])
})

test('home, the overview for developers and the open menu are free of accessibility faults and fit their width', async ({
  page,
}) => {
  await page.goto(vaspOrigin())
  await expect(page.getByRole('button', { name: 'Create a temporary user' })).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await signInAtVasp(page, 'Alice')
  await page.goto(vaspOrigin())
  await expect(page.getByRole('region', { name: 'Balances' }).getByRole('listitem')).toHaveCount(3)
  await expectNoFaults(page, NARROWEST)
  await page.goto(`${vaspOrigin()}/developers`)
  await expect(page.getByRole('region', { name: 'Tools' }).getByRole('link')).toHaveCount(7)
  await openMenu(page)
  await expectNoFaults(page, NARROWEST)
})
