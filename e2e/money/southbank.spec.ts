import type { Page } from 'playwright/test'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults } from '../support/faults'
import { expect, makeInvoice, previewInvoice, signInAtVasp, test } from '../support/fixtures'
import { connectShop } from '../support/shop'

// Two VASPs that pay each other through their Lightning nodes, and a shop whose customer has an account at the first VASP.
let stack: Stack
let southbank = ''
test.beforeAll(async () => {
  stack = await startStack({}, 'server.js', { southbank: true })
  southbank = stack.southbankOrigin ?? ''
})
test.afterAll(() => stack.stop())
test.describe.configure({ mode: 'serial' })

const hostOf = (origin: string): string => new URL(origin).host

/** Opens the page of a line of the statement. */
async function openLine(page: Page, wallet: string, text: string): Promise<void> {
  await page.goto(`${stack.vaspOrigin}/wallets/${wallet}`)
  await page.getByRole('link', { name: text }).click()
  await expect(page.getByRole('heading', { name: 'What happened' })).toBeVisible()
}

test('The shop pays an invoice of Southbank, and both dashboards show it', async ({ page, otherPage: bob }) => {
  await signInAtVasp(bob, 'Bob', southbank)
  const invoice = await makeInvoice(bob, { amount: '7,000', memo: 'Tea at Southbank' }, southbank)
  await connectShop(page, stack, 'Alice')
  await page.goto(`${stack.shopOrigin}/wallet`)
  const step = page.locator('#pay_invoice')
  await expect(step.getByRole('link', { name: 'Southbank' })).toHaveAttribute(
    'href',
    `${southbank}/wallets/receive?tab=invoice`,
  )
  await step.getByLabel('Invoice').fill(invoice)
  await step.getByRole('button').click()
  await expect(step.getByText('Answered')).toBeVisible()
  await expect(page.locator('.calls li').first()).toContainText('"method": "pay_invoice"')

  await expect(bob.getByText('✓ Paid: +7,000 SAT in your wallet')).toBeVisible()
  await expect(bob.getByText(`the node at ${hostOf(stack.vaspOrigin)}`)).toBeVisible()
  await expectNoFaults(bob)

  await openLine(page, 'USD', 'Paid: Tea at Southbank')
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expect(page.getByText(`the node at ${hostOf(southbank)}`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'From' })).toContainText('7.00 USD')
  await expect(page.getByRole('region', { name: 'To' })).toContainText('7,000 SAT')
  await expect(page.getByRole('listitem').filter({ hasText: 'Reserved' })).toContainText('−7.07 USD')
  await expect(page.getByRole('listitem').filter({ hasText: 'the rest was returned' })).toContainText('+0.07 USD')
  await expect(page.locator('dl').getByRole('link', { name: hostOf(stack.shopOrigin) })).toBeVisible()
  await expectNoFaults(page)
})

test('The shop pays a user at Southbank by keysend, and both dashboards show it', async ({ page, otherPage: bob }) => {
  await connectShop(page, stack, 'Alice')
  await page.goto(`${stack.shopOrigin}/wallet`)
  const step = page.locator('#pay_keysend')
  await expect(step.getByLabel('Public key of the node')).toHaveValue(/^0[23][0-9a-f]{64}$/)
  await step.getByLabel('Amount in SAT').fill('21')
  await step.getByRole('button').click()
  await expect(step.getByText('Answered')).toBeVisible()
  await expect(page.locator('.calls li').first()).toContainText('"type": 696969')

  await signInAtVasp(bob, 'Bob', southbank)
  await bob.goto(`${southbank}/invoices?tab=paid`)
  const received = bob.getByRole('listitem').filter({ hasText: 'Thanks, from the shop' })
  await expect(received).toContainText('+21 SAT')
  await received.getByRole('link').click()
  await expect(bob.getByText('✓ Paid: +21 SAT in your wallet')).toBeVisible()
  await expect(bob.getByText('Keysend (sent without an invoice)')).toBeVisible()
  await expect(bob.getByText(`the node at ${hostOf(stack.vaspOrigin)}`)).toBeVisible()
  await expect(bob.getByRole('img', { name: /QR code/ })).toHaveCount(0)
  await expect(bob.getByRole('link', { name: 'Create another' })).toHaveCount(0)
  await expectNoFaults(bob)

  await openLine(page, 'USD', 'Paid: Thanks, from the shop')
  await expect(page.getByText('for the user bob')).toBeVisible()
  await expect(page.getByText('Keysend (no invoice)')).toBeVisible()
  await expectNoFaults(page)
})

test('While Southbank does not answer, a payment is shown as in progress; when it is back, the page shows the outcome, and the payment may be tried again', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob', southbank)
  const invoice = await makeInvoice(bob, { amount: '3,000', memo: 'A cake, some day' }, southbank)
  // A page of Southbank that is still loading would report errors.
  await bob.goto('about:blank')
  // Southbank receives the call and does not answer.
  stack.pause('Southbank')
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await previewInvoice(page, invoice, stack.vaspOrigin)
  await expect(page.locator('dl').first()).toContainText('up to 30 SAT; the unused part is returned')
  await page.getByRole('button', { name: 'Pay 3.03 USD' }).click()
  const waits = `Waiting for the node at ${hostOf(southbank)} to confirm.`
  await expect(page.getByText(`${waits} The amount is reserved until then`)).toBeVisible()
  const detail = page.url()
  await expectNoFaults(page)
  await page.goto(`${stack.vaspOrigin}/wallets`)
  const inProgress = page.getByRole('region', { name: 'In progress' })
  await expect(inProgress.getByRole('listitem')).toContainText(waits)
  await expectNoFaults(page)

  await page.goto(detail)
  await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''))
  await stack.kill('Southbank')
  await stack.revive('Southbank')
  // The request never arrived, and Southbank refuses it from now on: nothing is debited, and nothing can arrive late.
  await expect(page.getByText('× Failed')).toBeVisible()
  await expect(page.getByText('Nothing was taken from your wallet.')).toBeVisible()
  await expect(page.locator('body[data-not-reloaded]')).toBeVisible()
  await expectNoFaults(page)

  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Pay 3.03 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await bob.goto(`${southbank}/invoices?tab=paid`)
  await expect(bob.getByRole('listitem').filter({ hasText: 'A cake, some day' })).toContainText('+3,000 SAT')
  await page.goto(`${stack.vaspOrigin}/wallets`)
  await expect(inProgress).toHaveCount(0)
})

test('While Southbank is down, a payment fails immediately and debits nothing, and the page explains why', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob', southbank)
  const invoice = await makeInvoice(bob, { amount: '2,000', memo: 'Nobody home' }, southbank)
  await bob.goto('about:blank')
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await previewInvoice(page, invoice, stack.vaspOrigin)
  await stack.kill('Southbank')
  await page.getByRole('button', { name: 'Pay 2.02 USD' }).click()
  await expect(page.getByText('× Failed')).toBeVisible()
  await expect(
    page.getByText('The recipient’s node does not answer. Try again in a moment. Nothing was taken'),
  ).toBeVisible()
  await stack.revive('Southbank')
})
