import type { Page } from 'playwright/test'
import { EVERY_VIEW, expectNoFaults } from './faults'
import { expect, signInAtVasp, test } from './fixtures'
import { startStack, type Stack } from './stack'

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

test('one user is reset after a question, with the keyboard, and the page has no accessibility fault', async ({
  page,
}) => {
  await fetch(`${stack.vaspOrigin}/connect?redirect_uri=${encodeURIComponent('https://other.example/callback')}`)
  await openDesk(page)
  await expect(page.getByRole('region', { name: 'Events without an owner' })).toContainText('https://other.example')
  await expectNoFaults(page, EVERY_VIEW)
  await page.getByRole('link', { name: 'Reset Bob' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Reset Bob?')).toBeVisible()
  await expectNoFaults(page, EVERY_VIEW)
  await page.getByRole('button', { name: 'Reset Bob' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('✓ 1 user reset.')).toBeVisible()
})

test('a reset takes back test money', async ({ page }) => {
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

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('users are listed and reset', async ({ page }) => {
    await openDesk(page)
    await page.getByRole('link', { name: 'Reset Yuki' }).click()
    await page.getByRole('button', { name: 'Reset Yuki' }).click()
    await expect(page.getByText('✓ 1 user reset.')).toBeVisible()
  })
})
