import { readFileSync } from 'node:fs'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test } from '../support/fixtures'

// A VASP whose users have had an example month.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack({ SANDBOX_EXAMPLE_MONTH: 'on' }, 'server.js', { alone: true })
})
test.afterAll(() => stack.stop())
test.describe.configure({ mode: 'serial' })

test('Alice finds one payment of last month, exports the matches, and prints the statement', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible()
  await expectNoFaults(page)
  await page.getByText('Filter', { exact: true }).first().click()
  await page.getByLabel('Direction').selectOption({ label: 'Sent' })
  await page.getByLabel('Text').fill('rent')
  await page.getByRole('button', { name: 'Filter' }).click()
  await expect(page).toHaveURL(/\/activity\?.*direction=sent.*text=rent/)
  const lines = page.getByRole('row').filter({ hasText: 'Paid: to' })
  await expect(lines).toHaveCount(1)
  await expect(lines).toContainText('−120.00 USD')
  await expect(page.getByText('This filter searches the newest 10,000 movements.')).toBeVisible()
  await expectNoFaults(page, NARROWEST)

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('activity-alice.csv')
  const rows = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(rows).toHaveLength(2)
  expect(rows[1]).toMatch(/,settled,sent,-120\.00,USD,Paid: to \$bob@.*,Rent,/)

  await lines.getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'What happened' })).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('Text')).toHaveValue('rent')
  await page.getByRole('link', { name: 'Printable statement' }).click()
  await expect(page.getByRole('heading', { name: 'Statement' })).toBeVisible()
  const dollars = page.getByRole('region', { name: 'US Dollar USD' })
  await expect(dollars.getByText('Closing balance')).toBeVisible()
  await expect(dollars.getByRole('row').filter({ hasText: 'Rent' })).toContainText('−120.00')
  await expectNoFaults(page)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('button', { name: 'Show' })).toBeHidden()
  await expect(dollars.getByText('Opening balance').first()).toBeVisible()
})

test('a mistake in the filter is shown next to its field, and the values stay', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/activity?least=1,5&from=2026-02-31&counterparty=bob`)
  await expect(page.getByText('× Type a date as 2026-01-31.')).toBeVisible()
  await expect(page.getByLabel('Smallest amount')).toHaveValue('1,5')
  await expect(page.getByLabel('Smallest amount')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Counterparty')).toHaveValue('bob')
  await expect(page.getByText('Nothing is listed: correct the filter above.')).toBeVisible()
  await expectNoFaults(page)
})

test('the newest movement appears by itself', async ({ page, otherPage }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/activity`)
  const faucet = page.getByRole('row').filter({ hasText: 'Sandbox faucet' })
  await expect(faucet).toHaveCount(0)
  await signInAtVasp(otherPage, 'Alice', stack.vaspOrigin)
  await otherPage.goto(`${stack.vaspOrigin}/wallets/EUR`)
  await otherPage.getByRole('button', { name: /test money/ }).click()
  await expect(otherPage.getByText('of test money added.')).toBeVisible()
  await expect(faucet).toHaveCount(1)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('the filter and the next pages work', async ({ page }) => {
    await page.goto(`${stack.vaspOrigin}/login`)
    await page.getByRole('button', { name: 'Continue as Bob' }).click()
    await page.goto(`${stack.vaspOrigin}/activity?counterparty=yuki`)
    await expect(page.getByRole('row').filter({ hasText: '$yuki@' })).toHaveCount(3)
    await page.getByLabel('Direction').selectOption({ label: 'Sent' })
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect(page.getByRole('row').filter({ hasText: '$yuki@' })).toHaveCount(1)
  })
})
