import type { Page } from 'playwright/test'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test } from '../support/fixtures'

let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack?.stop())

const addressOf = (name: string): string => `$${name}@${new URL(stack.vaspOrigin).host}`

/** Gets a quote of 1 SAT for an address in the dashboard, and pays it. */
async function payInDashboard(page: Page, name: string): Promise<void> {
  await page.goto(`${stack.vaspOrigin}/wallets/send?invoice=${encodeURIComponent(addressOf(name))}`)
  await page.getByLabel('Amount', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await page.getByRole('button', { name: /^Pay / }).click()
}

test('a link puts a test recipient into the field of the send form, even without JavaScript', async ({
  page,
  browser,
}) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  const context = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  })
  for (const each of [page, await context.newPage()]) {
    await each.goto(`${stack.vaspOrigin}/wallets/send`)
    await each.locator('summary', { hasText: 'Try these test recipients' }).click()
    await each.getByRole('link', { name: addressOf('threecoins') }).click()
    await expect(each.getByLabel('Address or invoice')).toHaveValue(addressOf('threecoins'))
    await each.getByRole('button', { name: 'Continue' }).click()
    await expect(each.getByLabel('They receive').getByRole('option')).toHaveCount(3)
  }
  await context.close()
})

test('the dashboard shows a payment that fails, one that is pending and then paid, and a refused recipient', async ({
  page,
}) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await payInDashboard(page, 'declined')
  await expect(page.getByText('The Lightning network refused this payment.')).toBeVisible()
  await payInDashboard(page, 'slow')
  await page.waitForURL(/\/wallets\/sent\//)
  await expect(page.getByText('✓ Paid')).toBeHidden()
  await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''))
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expect(page.locator('body[data-not-reloaded]')).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/wallets/send?invoice=${encodeURIComponent(addressOf('blocked'))}`)
  await expect(page.getByText('do not allow payments to this recipient')).toBeVisible()
})

test('the recipes and the opened lists are free of accessibility faults, on a desktop and a phone, light and dark', async ({
  page,
}) => {
  test.setTimeout(300_000)
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/developers/gateway`)
  await page.getByRole('link', { name: 'Error recipes' }).click()
  await expect(page.getByRole('rowheader', { name: 'NOT_IMPLEMENTED' })).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  for (const [path, list] of [
    ['send', 'Try these test recipients'],
    ['receive?tab=invoice', 'Try these test memos'],
  ]) {
    await page.goto(`${stack.vaspOrigin}/wallets/${path}`)
    await page.locator('summary', { hasText: list ?? '' }).click()
    await expectNoFaults(page, NARROWEST)
  }
})
