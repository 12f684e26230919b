import type { Page } from 'playwright/test'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

const NAME = 'made in the API reference'

async function openForm(page: Page, command: string, user: string): Promise<void> {
  await signInAtVasp(page, user)
  await page.goto(`${vaspOrigin()}/developers/api`)
  await page.getByRole('link', { name: `Send ${command}` }).click()
  await expect(page.getByRole('heading', { name: `Send ${command}` })).toBeVisible()
}

const answer = (page: Page, status: number) => page.getByRole('region', { name: `Answer ${status}` })

async function payBob(page: Page): Promise<void> {
  await page.getByLabel('receiver_address').fill(`$bob@${new URL(vaspOrigin()).host}`)
  await page.getByLabel('sending_currency_code').fill('USD')
  await page.getByLabel('sending_currency_amount').fill('25')
  await page.getByRole('button', { name: 'Send call' }).click()
  await expect(page.getByRole('heading', { name: 'Send this call?' })).toBeVisible()
  await expect(page.getByText('It does not count against a budget at the gateway.')).toBeVisible()
  await expect(page.getByText('USD, US Dollar')).toBeVisible()
}

test('a call is sent by keyboard, and shows its answer, its event and its connection, which can be revoked', async ({
  page,
}) => {
  await openForm(page, 'get_balance', 'Yuki')
  await expectNoFaults(page, NARROWEST)
  await page.getByLabel('currency_code').focus()
  await page.keyboard.type('JPY')
  await page.keyboard.press('Enter')
  await expect(answer(page, 200)).toContainText('"balance":')
  await expect(answer(page, 200)).toBeFocused()
  await expect(page.getByLabel('currency_code')).toHaveValue('JPY')
  await expectNoFaults(page, NARROWEST)
  await expectNoFaults(page)
  const address = page.url()

  await page.getByRole('link', { name: 'The call on The Wire' }).click()
  await expect(page.getByRole('heading', { name: 'GET /balance' })).toBeVisible()
  await expect(page.getByRole('link', { name: NAME })).toBeVisible()
  // The user has made it, so it is no news.
  const fresh = await page.evaluate(async () => (await fetch('/connections/fresh')).text())
  expect(fresh).not.toContain(NAME)

  await page.goto(`${vaspOrigin()}/connections`)
  await expect(page.getByRole('link', { name: `Revoke ${NAME}` })).toHaveCount(1)
  await page.getByRole('link', { name: `Revoke ${NAME}` }).click()
  await page.getByRole('button', { name: `Revoke connection ${NAME}` }).click()
  await expect(page.getByText('Revoked. The app loses access')).toBeVisible()
  await page.goto(address)
  await page.getByRole('button', { name: 'Send call' }).click()
  await expect(page).not.toHaveURL(address)
  await expect(answer(page, 200)).toContainText('"balance":')
})

test('a payment asks first, with its cost, and a double click leads to its answer', async ({ page }) => {
  await openForm(page, 'pay_to_address', 'Alice')
  await payBob(page)
  await expect(page.getByRole('region', { name: 'Send this call?' })).toBeFocused()
  await expectNoFaults(page, NARROWEST)
  await expectNoFaults(page)
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByLabel('sending_currency_amount')).toHaveValue('25')
  await page.getByRole('button', { name: 'Send call' }).click()
  await page.getByRole('button', { name: 'Send and pay 0.25 USD' }).dblclick()
  await expect(answer(page, 200)).toContainText('"preimage"')
  await expect(answer(page, 200)).toBeFocused()
  await expectNoFaults(page)
  await page.getByRole('link', { name: 'The call on The Wire' }).click()
  await expect(page.getByRole('link', { name: 'Open this payment' })).toBeVisible()
})

test('an error appears next to its field, and the typed values stay', async ({ page }) => {
  await openForm(page, 'make_invoice', 'Bob')
  await page.getByLabel('amount').fill('ten')
  await page.getByLabel('description (optional)').fill('Tea')
  await page.getByRole('button', { name: 'Send call' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'This is not an integer.' })).toBeVisible()
  await expect(page.getByLabel('amount')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('amount')).toHaveValue('ten')
  await expect(page.getByLabel('description (optional)')).toHaveValue('Tea')
  await expectNoFaults(page)
  await page.getByLabel('amount').fill('0')
  await page.getByRole('button', { name: 'Send call' }).click()
  await expect(answer(page, 400)).toContainText('"code": "OTHER"')
})

test('a recipe opens the form with the address of its test recipient', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/developers/errors`)
  await page
    .getByRole('row', { name: /NOT_FOUND/ })
    .getByRole('link', { name: 'send the call' })
    .click()
  await expect(page.getByLabel('receiver_address')).toHaveValue(`$nobody@${new URL(vaspOrigin()).host}`)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a read and a payment are sent', async ({ page }) => {
    await openForm(page, 'get_info', 'Alice')
    await page.getByRole('button', { name: 'Send call' }).click()
    await expect(answer(page, 200)).toContainText('"pubkey":')
    await page.goto(`${vaspOrigin()}/developers/api/pay_to_address`)
    await payBob(page)
    await page.getByRole('button', { name: 'Send and pay 0.25 USD' }).click()
    await expect(answer(page, 200)).toContainText('"preimage"')
  })
})
