import { createHash } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectNoFaults, NARROWEST } from '../support/faults'
import {
  expect,
  lookAtInvoice,
  makeInvoice,
  openMenu,
  previewInvoice,
  signInAtVasp,
  test,
  vaspOrigin,
} from '../support/fixtures'

// The tests are independent, so both workers share them.
test.describe.configure({ mode: 'parallel' })

/** The lines of a statement that show a transaction. */
function lineOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text })
}

test('Alice pays the invoice that Bob created, and his page changes to paid by itself', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob')
  const invoice = await makeInvoice(bob, { amount: '42,000', memo: 'Lunch for two' })
  await expect(bob.getByText('○ Waiting for payment')).toBeVisible()
  await expect(bob.getByRole('img', { name: 'QR code of this invoice' })).toBeVisible()
  await bob.evaluate(() => document.body.setAttribute('data-not-reloaded', ''))

  await signInAtVasp(page, 'Alice')
  await previewInvoice(page, `lightning:${invoice.toUpperCase()}`)
  const cost = page.getByRole('region', { name: 'Before you pay' }).locator('dl').first()
  await expect(cost).toContainText('42,000 SAT')
  await expect(cost).toContainText('Lunch for two')
  await expect(cost).toContainText('USD, US Dollar')
  await expect(cost).toContainText('1 USD = 1,000 SAT')
  await page.getByRole('button', { name: 'Pay 42.00 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  const paymentHash = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const preimage = await page.locator('code.select-all').innerText()
  expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(paymentHash)

  await expect(bob.getByText('✓ Paid: +42,000 SAT in your wallet')).toBeVisible()
  await expect(bob.locator('body[data-not-reloaded]')).toBeVisible()
  await expect(bob.locator('code', { hasText: preimage })).toBeVisible()
  await bob.goto(`${vaspOrigin()}/wallets/SAT`)
  await expect(lineOf(bob, 'Received: Lunch for two')).toContainText('+42,000')
  await bob.goto(`${vaspOrigin()}/invoices?tab=paid`)
  await expect(bob.getByRole('listitem').filter({ hasText: 'Lunch for two' })).toContainText('+42,000 SAT')
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await expect(lineOf(page, 'Paid: Lunch for two')).toContainText('−42.00')
})

test('An invoice that is already paid is refused with an explanation, and no money moves', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob')
  const invoice = await makeInvoice(bob, { amount: '100', memo: 'Only once' })
  await signInAtVasp(page, 'Alice')
  await previewInvoice(page, invoice)
  await page.getByRole('button', { name: 'Pay 0.10 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await previewInvoice(page, invoice)
  await expect(page.getByRole('alert').filter({ hasText: 'You have paid this invoice already.' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Pay / })).toHaveCount(0)
  // "Try again" leads here: the invoice has its own amount, so the page does not ask for one.
  await page.goto(`${vaspOrigin()}/wallets/send?${new URLSearchParams({ invoice, amount: '100' })}`)
  await expect(page.getByRole('alert').filter({ hasText: 'You have paid this invoice already.' })).toBeVisible()
  await expect(page.getByLabel('Amount in SAT')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await expect(lineOf(page, 'Paid: Only once')).toHaveCount(1)
})

test('A page opened by the previous user pays nothing from the wallet of the current user', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob')
  const invoice = await makeInvoice(bob, { amount: '100', memo: 'Whose money' })
  await signInAtVasp(page, 'Alice')
  await previewInvoice(page, invoice)
  const elsewhere = await page.context().newPage()
  await signInAtVasp(elsewhere, 'Penny')
  // Alice could pay it.
  await elsewhere.goto(`${vaspOrigin()}/wallets`)
  await elsewhere.getByRole('button', { name: 'Add test money to USD' }).click()
  await expect(elsewhere.getByText('100.00 USD of test money added.')).toBeVisible()
  await page.getByRole('button', { name: 'Pay 0.10 USD' }).click()
  await expect(page.getByText('You are now signed in as penny; this form was for someone else.')).toBeVisible()
  await expect(page).toHaveTitle(/^Another user is signed in/)
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('link', { name: 'Back to the page' }).click()
  await expect(page.getByRole('heading', { name: 'Send', exact: true })).toBeVisible()
  await elsewhere.goto(`${vaspOrigin()}/wallets/USD`)
  await expect(lineOf(elsewhere, 'Paid: Whose money')).toHaveCount(0)
  await previewInvoice(page, invoice)
  await page.getByRole('button', { name: 'Pay 0.10 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
})

test('A form reached by a link within the site belongs to the user in the header', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  const elsewhere = await page.context().newPage()
  await signInAtVasp(elsewhere, 'Penny')
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Apps', exact: true }).click()
  await main.getByRole('link', { name: 'Wallet', exact: true }).click()
  await main.getByRole('link', { name: 'Receive', exact: true }).click()
  await page.getByRole('link', { name: 'Invoice', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Lightning invoice', exact: true })).toBeVisible()
  const shown = await page.locator('header code', { hasText: '$' }).innerText()
  await expect(page.locator('input[name=form_user]').first()).toHaveValue(shown.replace(/^\$|@.*$/g, ''))
})

test('The theme switch stays on the current page, even after a link within the site', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Receive', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Receive', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Dark' }).click()
  await expect(page.getByRole('button', { name: 'Dark' })).toHaveAttribute('aria-pressed', 'true')
  expect(new URL(page.url()).pathname).toBe('/wallets/receive')
})

test('The payer chooses the amount of an invoice that has none', async ({ page, otherPage: bob }) => {
  await signInAtVasp(bob, 'Bob')
  const invoice = await makeInvoice(bob, { memo: 'A tip' })
  await expect(bob.getByText('the payer chooses')).toBeVisible()
  await signInAtVasp(page, 'Alice')
  await previewInvoice(page, invoice)
  await page.getByLabel('Amount in SAT').fill('1.5')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'whole number of satoshis' })).toBeVisible()
  await expect(page.getByLabel('Amount in SAT')).toHaveValue('1.5')
  await page.getByLabel('Amount in SAT').fill('2,500')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Pay 2.50 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expect(bob.getByText('✓ Paid: +2,500 SAT in your wallet')).toBeVisible()
})

test('An expired invoice is marked as expired on its own page and on an open preview without a reload, and on a new preview', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(page, 'Alice')
  await signInAtVasp(bob, 'Bob')
  // The slow steps come before the ten seconds start.
  await page.goto(`${vaspOrigin()}/wallets/send`)
  const invoice = await makeInvoice(bob, {
    amount: '100',
    memo: 'Too late',
    expiry: '10 seconds (to test expiry)',
  })
  await lookAtInvoice(page, invoice)
  const pay = page.getByRole('button', { name: 'Pay 0.10 USD' })
  await expect(pay).toBeVisible()
  await expect(bob.getByText('× Expired')).toBeVisible()
  await expect(bob.getByRole('img', { name: 'QR code of this invoice' })).toHaveCount(0)
  // At the end of its countdown the page offers no action.
  await expect(page.getByRole('alert').filter({ hasText: 'This invoice has expired' })).toBeVisible()
  await expect(pay).toHaveCount(0)
  await previewInvoice(page, invoice)
  await expect(page.getByRole('alert').filter({ hasText: 'This invoice has expired' })).toBeVisible()
  await bob.getByRole('link', { name: 'Create another' }).click()
  await expect(bob.getByLabel('Memo')).toHaveValue('Too late')
  await expect(bob.getByLabel('Amount (optional)')).toHaveValue('100')
  await bob.goto(`${vaspOrigin()}/invoices?tab=expired`)
  await expect(bob.getByRole('listitem').filter({ hasText: 'Too late' })).toContainText('expired')
})

test('The faucet adds money to a wallet once, however often it is pressed, and the page shows that it is working', async ({
  page,
}) => {
  await signInAtVasp(page, 'Penny')
  const sent: string[] = []
  let answer = (): void => {}
  const released = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/wallets/faucet', async (route) => {
    sent.push(route.request().url())
    await released
    await route.continue()
  })
  // In one step, because Playwright waits for a page that is loading.
  const seen = await page
    .getByRole('button', { name: 'Add test money to USD' })
    .evaluate(async (button: HTMLElement) => {
      const form = button.closest('form')
      button.click()
      const isBusy = form?.getAttribute('aria-busy')
      const label = form?.querySelector('[role=status]')
      const first = label?.textContent
      await new Promise<void>((resolve) =>
        new MutationObserver(() => resolve()).observe(form ?? button, { childList: true, subtree: true }),
      )
      button.click()
      return [isBusy, first, label?.textContent]
    })
  expect(seen).toEqual(['true', '', 'Working …'])
  answer()
  const done = page.getByText('100.00 USD of test money added.')
  await expect(done).toBeVisible()
  await expect(done).toBeFocused()
  expect(sent).toHaveLength(1)
  await expect(lineOf(page, 'Sandbox faucet').first()).toContainText('+100.00')
})

test('Converting debits one wallet and credits the other', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await page.getByLabel('Amount in USD').fill('10.00')
  await page.getByLabel('Convert to').selectOption('EUR')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('1 EUR = 1.08696 USD')).toBeVisible()
  await expect(page.getByRole('timer')).toContainText('left')
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: 'Convert 10.00 USD' }).click()
  await expect(page.getByText('10.00 USD gave 9.20 EUR at 1 EUR = 1.08696 USD.')).toBeVisible()
  await expect(lineOf(page, 'Converted from USD').first()).toContainText('+9.20')
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await expect(lineOf(page, 'Converted to EUR').first()).toContainText('−10.00')
})

test('A conversion that is not possible is refused with an explanation, and the form keeps its values', async ({
  page,
}) => {
  await signInAtVasp(page, 'Alice')
  for (const [code, amount, sentence] of [
    ['USD', '1.234', 'Enter an amount with at most 2 decimals'],
    ['USD', '9,999,999', 'Your USD wallet holds less than that'],
    ['SAT', '1', 'worth at least one unit'],
  ] as const) {
    await page.goto(`${vaspOrigin()}/wallets/${code}`)
    await page.getByLabel(`Amount in ${code}`).fill(amount)
    await page.getByRole('region', { name: 'Convert' }).getByRole('button').click()
    await expect(page.getByRole('alert').filter({ hasText: sentence })).toBeVisible()
    await expect(page.getByLabel(`Amount in ${code}`)).toHaveValue(amount)
  }
})

test('An invoice that cannot be created is refused with an explanation, and the form keeps its values', async ({
  page,
}) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/wallets/receive?tab=invoice`)
  await page.getByLabel('Wallet', { exact: true }).selectOption('EUR')
  await page.getByLabel('Amount (optional)').fill('12.345')
  await page.getByLabel('Memo').fill('Kept')
  await page.getByRole('button', { name: 'Create invoice' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Enter an amount worth up to 0.1 bitcoin' })).toBeInViewport()
  await expect(page.getByLabel('Wallet', { exact: true })).toHaveValue('EUR')
  await expect(page.getByLabel('Amount (optional)')).toHaveValue('12.345')
  await expect(page.getByLabel('Memo')).toHaveValue('Kept')
})

test('Text that is not a payable invoice gets an explanation and stays in the field', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  for (const [pasted, sentence] of [
    [`lnbc1${'q'.repeat(200)}`, 'This invoice is for another network.'],
    ['x'.repeat(3_900), 'This is neither an address nor an invoice.'],
  ] as const) {
    await previewInvoice(page, pasted)
    await expect(page.getByRole('alert').filter({ hasText: sentence })).toBeVisible()
    await expect(page.getByLabel('Address or invoice')).toHaveValue(pasted)
  }
})

test("No user sees another user's invoice or payment, and unknown wallets return 404", async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob')
  const invoice = await makeInvoice(bob, { amount: '100', memo: 'Private' })
  const invoicePath = new URL(bob.url()).pathname
  await signInAtVasp(page, 'Alice')
  await previewInvoice(page, invoice)
  await page.getByRole('button', { name: 'Pay 0.10 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  const sentPath = new URL(page.url()).pathname
  const statusOf = async (user: Page, path: string) => (await user.request.get(`${vaspOrigin()}${path}`)).status()
  expect(await statusOf(bob, invoicePath)).toBe(200)
  expect(await statusOf(page, invoicePath)).toBe(404)
  expect(await statusOf(page, `${invoicePath}/state`)).toBe(404)
  expect(await statusOf(page, sentPath)).toBe(200)
  expect(await statusOf(bob, sentPath)).toBe(404)
  for (const path of ['/wallets/JPY', '/wallets/XYZ', '/invoices/x', '/wallets/sent/x'])
    expect(await statusOf(page, path), path).toBe(404)
  await page.goto(`${vaspOrigin()}/wallets/XYZ`)
  await expect(page).toHaveTitle(/^Not found/)
  await page.goto(`${vaspOrigin()}/wallets/usd`)
  await expect(page).toHaveURL(/\/wallets\/USD$/)
})

test('Pages about money need a session, and signing in leads back to them', async ({ page }) => {
  for (const path of ['/wallets', '/wallets/USD', '/wallets/send', '/wallets/receive', '/invoices']) {
    await page.goto(`${vaspOrigin()}${path}`)
    await expect(page).toHaveURL(/\/login/)
  }
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await page.getByText('Sign in with name and password').click()
  await page.getByLabel('User name').fill('alice')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('Wrong user name or password.')).toBeVisible()
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  await expect(page).toHaveURL(`${vaspOrigin()}/wallets/USD`)
})

test('A form sent after signing out reports that nothing was done, and leads back to its page', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/wallets/EUR`)
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(`${vaspOrigin()}/wallets`)
  await openMenu(elsewhere)
  await elsewhere.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Add test money' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'You were signed out. Nothing was done.' })).toBeVisible()
  await expectNoFaults(page)
  await page.getByRole('button', { name: 'Continue as Alice' }).click()
  await expect(page.getByRole('heading', { name: 'Euro EUR' })).toBeVisible()
})

test('The skip link moves the keyboard focus past the navigation', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  expect(await page.locator('main nav[aria-label=Main], main header').count()).toBe(0)
  await page.goto(`${vaspOrigin()}/wallets`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
  await page.keyboard.press('Tab')
  // A notice of a new connection, left by another test of this stack, comes before the page's own links.
  await expect(page.locator('main').locator('a, input').first()).toBeFocused()
  await page.getByRole('navigation').getByRole('link', { name: 'Send', exact: true }).click()
  await expect(page.getByLabel('Address or invoice')).toBeFocused()
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'neither an address nor an invoice' })).toBeVisible()
})

test('A page prefetches no other page', async ({ page }) => {
  const loaded = new Set<string>()
  page.on('request', (request) => {
    if (request.headers()['next-router-prefetch'] !== undefined) loaded.add(new URL(request.url()).pathname)
  })
  await signInAtVasp(page, 'Alice')
  await page.waitForLoadState('networkidle')
  expect([...loaded]).toEqual([])
})

test('A printed statement is dark on white, without navigation, forms and buttons', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/wallets/USD`)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.getByText('Opening balance')).toBeVisible()
  for (const hidden of ['nav[aria-label=Main]', 'form', 'main button']) {
    for (const each of await page.locator(hidden).all()) await expect(each).toBeHidden()
  }
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(
    'rgb(255, 255, 255)',
  )
})

test('An invoice shows the amount as it was typed, and the same amount in satoshis', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/wallets/receive?tab=invoice`)
  await page.getByLabel('Wallet', { exact: true }).selectOption('USD')
  await page.getByLabel('Amount (optional)').fill('5')
  await page.getByLabel('Memo').fill('As it was typed')
  await page.getByRole('button', { name: 'Create invoice' }).click()
  await expect(page.locator('dl')).toContainText('5.00 USD (5,000 SAT)')
  await page.goto(`${vaspOrigin()}/invoices`)
  await expect(page.getByRole('listitem').filter({ hasText: 'As it was typed' })).toContainText('5.00 USD (5,000 SAT)')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('an invoice is created and paid, and its page shows that it is paid', async ({ page, otherPage: bob }) => {
    await signInAtVasp(bob, 'Bob')
    const invoice = await makeInvoice(bob, { amount: '3,000', memo: 'By hand' })
    await signInAtVasp(page, 'Alice')
    await previewInvoice(page, invoice)
    await page.getByRole('button', { name: 'Pay 3.00 USD' }).click()
    await expect(page.getByText('✓ Paid')).toBeVisible()
    await bob.getByRole('link', { name: 'Refresh' }).click()
    await expect(bob.getByText('✓ Paid: +3,000 SAT in your wallet')).toBeVisible()
    await page.goto(`${vaspOrigin()}/wallets`)
    await page.getByRole('button', { name: 'Add test money to EUR' }).click()
    await expect(page.getByText('92.00 EUR of test money added.')).toBeVisible()
  })
})
