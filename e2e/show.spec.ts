import { randomBytes } from 'node:crypto'
import { expect, gatewayOrigin, revokeAtVasp, shopOrigin, signInAtVasp, test, vaspOrigin } from './fixtures'
import { encodeInvoice } from '../lib/lightning/bolt11'
import { newNodeSecret } from '../test/keys'
import { approveForShop, askToConnect, buyFirst, connectShop, openShop, type Places } from './shop'
import type { Page } from '@playwright/test'

const domain = (): string => new URL(vaspOrigin()).host

const places = (): Places => ({ shopOrigin: shopOrigin(), vaspOrigin: vaspOrigin() })

async function ask(page: Page, command: string): Promise<void> {
  await page.goto(`${shopOrigin()}/wallet`)
  await page.locator(`#${command}`).getByRole('button').click()
  await expect(page.locator(`#${command} .answer`)).toBeVisible()
}

/** The latest connection of the person at the gateway. */
async function openConnection(page: Page): Promise<void> {
  await page.goto(`${gatewayOrigin()}/login?return=/`)
  await page.locator('main li a').first().click()
}

test('A person connects the shop by address, pays in it, and both ledgers and the budget show the exact amount', async ({
  page,
  otherPage,
}) => {
  test.setTimeout(90_000)
  await openShop(otherPage, places())
  await connectShop(page, places(), 'Alice')
  await page.goto(shopOrigin())
  const price = (await page.locator('.goods .price').first().innerText()).replace(/\D/g, '')
  await page
    .getByRole('button', { name: /^Buy: / })
    .first()
    .click()
  await page.getByRole('button', { name: /^Pay .* from/ }).click()
  await expect(page.getByText('Paid. Thank you')).toBeVisible()

  const cents = Math.ceil(Number(price) / 10)
  const dollars = (cents / 100).toFixed(2)
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await expect(
    page
      .getByRole('row')
      .filter({ hasText: `−${dollars}` })
      .first(),
  ).toBeVisible()
  await signInAtVasp(otherPage, 'Bob')
  await otherPage.goto(`${vaspOrigin()}/wallets/SAT`)
  await expect(
    otherPage
      .getByRole('row')
      .filter({ hasText: `+${Number(price).toLocaleString('en-GB')}` })
      .first(),
  ).toBeVisible()
  await openConnection(page)
  await expect(page.getByText(`${dollars} USD spent of 50.00 USD`)).toBeVisible()
  await ask(page, 'get_budget')
  await expect(page.locator('#get_budget .answer')).toContainText((50 - cents / 100).toFixed(2))
})

test('Connecting again asks for no sign-in while the session at the VASP lives', async ({ page }) => {
  await connectShop(page, places(), 'Alice')
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.goto(`${shopOrigin()}/wallet`)
  await page.locator('#address').fill(`$alice@${domain()}`)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: /^Go on to/ }).click()
  await expect(page.getByRole('heading', { name: 'to $alice@' })).toBeVisible()
})

test('Fewer permissions, a budget and an end are what the shop gets', async ({ page }) => {
  await askToConnect(page, places(), 'Alice')
  await page.getByLabel('Read your balance').uncheck()
  await page.getByLabel('Amount in USD').fill('1.00')
  await page.getByLabel('Renewed').selectOption('daily')
  await page.getByLabel('Until').selectOption({ label: 'One day' })
  await approveForShop(page)
  await ask(page, 'get_balance')
  await expect(page.locator('#get_balance')).toContainText('RESTRICTED')
  await ask(page, 'get_budget')
  await expect(page.locator('#get_budget .answer')).toContainText('1.00')
})

test('Saying no leads back to the shop, which says so, and nothing is stored', async ({ page }) => {
  await askToConnect(page, places(), 'Yuki')
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(page.getByText('access_denied').first()).toBeVisible()
  await page.goto(`${vaspOrigin()}/connections`)
  await expect(page.getByText('No app is connected.')).toBeVisible()
})

test('A payment over the budget is refused before the wallet is asked to pay', async ({ page, otherPage }) => {
  await openShop(otherPage, places())
  await askToConnect(page, places(), 'Alice')
  await page.getByLabel('Amount in USD').fill('0.01')
  await approveForShop(page)
  await buyFirst(page, places())
  await expect(page.getByText('The budget of this connection does not allow this payment.').first()).toBeVisible()
})

test('A payment that fails gives its hold back', async ({ page }) => {
  await connectShop(page, places(), 'Khalid')
  await page.goto(`${shopOrigin()}/wallet`)
  await page.locator('#pay_invoice-invoice').fill(invoiceOfANodeElsewhere())
  await page.locator('#pay_invoice').getByRole('button').click()
  await expect(page.locator('#pay_invoice .answer')).toContainText('PAYMENT_FAILED')
  await openConnection(page)
  await expect(page.getByText('failed, hold given back')).toBeVisible()
  await expect(page.getByText('0.000 KWD spent of')).toBeVisible()
})

/** A good invoice of a node that nobody here can reach. */
function invoiceOfANodeElsewhere(): string {
  return encodeInvoice({
    nodeSecretHex: newNodeSecret(),
    paymentHash: randomBytes(32).toString('hex'),
    paymentSecretHex: randomBytes(32).toString('hex'),
    amountMsats: 1_000_000n,
    description: 'From elsewhere',
    descriptionHash: undefined,
    createdAtSeconds: Math.floor(Date.now() / 1000),
    expirySeconds: 600,
  })
}

test('A revocation at the VASP is seen by the shop at its next call', async ({ page }) => {
  await connectShop(page, places(), 'Khalid')
  await ask(page, 'get_balance')
  await expect(page.locator('#get_balance .answer')).toContainText('KWD')
  await revokeAtVasp(page)
  await ask(page, 'get_balance')
  await expect(page.locator('#get_balance')).toContainText('UNAUTHORIZED')
})

test('Disconnecting at the gateway is seen by the shop at its next call', async ({ page }) => {
  await connectShop(page, places(), 'Khalid')
  await openConnection(page)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('Ended.')).toBeVisible()
  await ask(page, 'get_balance')
  await expect(page.locator('#get_balance')).toContainText('UNAUTHORIZED')
})

test('A manual connection is paired by its text, which is shown once, and works in the shop', async ({ page }) => {
  await page.goto(`${gatewayOrigin()}/login?return=/connection/new`)
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  await page.getByLabel('Name of the app').fill('Paired by hand')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const uri = await page.locator('#pairing').innerText()
  await expect(page.locator('.qr svg')).toBeVisible()
  await page.reload()
  await expect(page.locator('#pairing')).toHaveCount(0)
  await page.goto(`${shopOrigin()}/wallet`)
  await page.getByLabel('Pairing URI').fill(uri)
  await page.getByRole('button', { name: 'Use this' }).click()
  await ask(page, 'get_info')
  await expect(page.locator('#get_info .answer')).toContainText('Northbank')
})
