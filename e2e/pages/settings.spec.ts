import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

test('Times are in the zone of the browser, then in the chosen one, with UTC on each time', async ({ browser }) => {
  const context = await browser.newContext({ timezoneId: 'America/New_York' })
  const page = await context.newPage()
  await signInAtVasp(page, 'Khalid')
  await expect(page.getByText('All times are New York time.')).toBeVisible()
  const time = page.locator('tbody time').first()
  await expect(time).toHaveAttribute('title', /UTC$/)

  await page.getByRole('link', { name: 'Choose the default wallet' }).click()
  await page.getByRole('textbox', { name: 'Time zone' }).fill('Nowhere/Land')
  await page.getByRole('button', { name: 'Save time zone' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'not the name of a time zone' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Time zone' })).toHaveValue('Nowhere/Land')
  await page.getByRole('link', { name: 'Choose from the list' }).click()
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
  await page.getByRole('button', { name: 'Save time zone' }).click()
  await expect(page.getByText('Time zone saved.')).toBeVisible()
  await expect(page.getByText('Times on your pages are Tokyo time.')).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.goto(`${vaspOrigin()}/wallets/KWD`)
  await expect(page.getByText('Date (Tokyo time)')).toBeAttached()
  await page.goto(`${vaspOrigin()}/settings`)
  await page.getByRole('textbox', { name: 'Time zone' }).fill('')
  await page.getByRole('button', { name: 'Save time zone' }).click()
  await expect(page.getByText('Times on your pages are New York time, as in your browser.')).toBeVisible()
  await context.close()
})

test('Without JavaScript and without a choice, times are in UTC and say so', async ({ browser }) => {
  const context = await browser.newContext({ timezoneId: 'America/New_York', javaScriptEnabled: false })
  const page = await context.newPage()
  await signInAtVasp(page, 'Khalid')
  await expect(page.getByText('All times are UTC.')).toBeVisible()
  await context.close()
})

test('The default wallet comes first on the pages', async ({ page }) => {
  // Another test pays as Alice, whose order must stay.
  await page.goto(vaspOrigin())
  await page.getByRole('button', { name: 'Create a temporary user' }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  const first = page.getByRole('heading', { level: 2 }).first()
  await expect(first).toContainText('USD')
  for (const code of ['EUR', 'USD']) {
    await page.goto(`${vaspOrigin()}/settings`)
    await page.getByLabel('Wallet', { exact: true }).selectOption(code)
    await page.getByRole('button', { name: 'Save default wallet' }).click()
    await expect(page.getByText('Default wallet saved.')).toBeVisible()
    await page.goto(`${vaspOrigin()}/wallets`)
    await expect(first).toContainText(code)
  }
})

test('One click pays an open invoice as another test user', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/wallets`)
  await page.getByRole('link', { name: 'Receive', exact: true }).last().click()
  const tabs = page.getByRole('navigation', { name: 'Ways to receive' })
  await expect(tabs.getByRole('link', { name: 'Address' })).toHaveAttribute('aria-current', 'page')
  await tabs.getByRole('link', { name: 'Invoice', exact: true }).click()
  await page.getByLabel('Amount (optional)').fill('2')
  await page.getByRole('button', { name: 'Create invoice' }).click()
  const pay = page.getByRole('button', { name: 'Pay it as Bob' })
  await expect(pay).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await pay.click()
  await expect(page.getByText('✓ Paid: +2.00 USD in your wallet')).toBeVisible()
})
