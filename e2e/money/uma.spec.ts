import type { Page } from 'playwright/test'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults } from '../support/faults'
import { expect, signInAtVasp, test } from '../support/fixtures'
import { comparePicture, STORY, walkToStory } from '../support/pictures'
import { connectShop } from '../support/shop'

// Two VASPs that exchange UMA messages, and a shop whose customer has an account at the first VASP.
let stack: Stack
let southbank = ''
test.beforeAll(async () => {
  stack = await startStack({}, 'server.js', { southbank: true })
  southbank = stack.southbankOrigin ?? ''
})
test.afterAll(() => stack.stop())
test.describe.configure({ mode: 'serial' })

const addressAt = (origin: string, name: string): string => `$${name}@${new URL(origin).host}`

/** The value next to a name in a description list. */
const fact = (page: Page, name: string) => page.locator('dl > div', { has: page.getByText(name, { exact: true }) })

/** Enters an address on the send page; ends on the receiver's page. */
async function lookUp(page: Page, origin: string, address: string): Promise<void> {
  await page.goto(`${origin}/wallets/send`)
  await page.getByLabel('Address or invoice').fill(address)
  await page.getByRole('button', { name: 'Continue' }).click()
}

interface Wanted {
  readonly amount: string
  readonly side: 'exactly what they receive' | 'what you pay'
  readonly wallet: string
}

/** Requests a quote; ends on its page. */
async function askPrice(page: Page, { amount, side, wallet }: Wanted): Promise<void> {
  await page.getByLabel('Amount', { exact: true }).fill(amount)
  await page.getByLabel(side).check()
  const choice = page.getByLabel('Pay from')
  // With a single wallet the form shows its name and no choice.
  if ((await choice.count()) > 0) await choice.selectOption(wallet)
  else await expect(page.locator('input[type=hidden][name=wallet]')).toHaveValue(wallet)
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await expect(page.getByRole('heading', { name: 'Before you pay' })).toBeVisible()
}

test('Alice pays a user of her own VASP by address, and pays that user again from the list', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  const yuki = addressAt(stack.vaspOrigin, 'yuki')
  await lookUp(page, stack.vaspOrigin, yuki.toUpperCase())
  await expect(page.getByRole('heading', { name: yuki })).toBeVisible()
  await expectNoFaults(page)
  await askPrice(page, { amount: '1,000', side: 'exactly what they receive', wallet: 'USD' })
  await expect(fact(page, 'They receive exactly')).toContainText('1,000 JPY')
  await expect(fact(page, 'You pay')).toContainText('6.50 USD')
  await expect(page.getByRole('timer')).toBeVisible()
  await expectNoFaults(page)
  await page.getByRole('button', { name: 'Pay 6.50 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expect(page.getByLabel('To', { exact: true })).toContainText('1,000 JPY')
  await expectNoFaults(page)

  await page.goto(`${stack.vaspOrigin}/wallets/send`)
  await page.getByRole('link', { name: yuki }).click()
  await askPrice(page, { amount: '5', side: 'what you pay', wallet: 'USD' })
  await expect(fact(page, 'You pay exactly')).toContainText('5.00 USD')
  await expect(fact(page, 'They receive')).toContainText('770 JPY')
})

test('A quote that is not possible is explained next to the form, which keeps its values', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await lookUp(page, stack.vaspOrigin, addressAt(stack.vaspOrigin, 'nobody'))
  await expect(page.getByText('There is no user with the address')).toBeVisible()
  await lookUp(page, stack.vaspOrigin, addressAt(stack.vaspOrigin, 'yuki'))
  await page.getByLabel('Amount', { exact: true }).fill('1.5')
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await expect(page.getByText('That is not a valid amount')).toBeVisible()
  await expect(page.getByLabel('Amount', { exact: true })).toHaveValue('1.5')
  await expectNoFaults(page)
})

test('The receive page shows the address, as text and as a code', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/wallets/receive`)
  await expect(page.getByRole('img', { name: 'QR code of your address' })).toBeVisible()
  await expect(page.locator('main code', { hasText: addressAt(stack.vaspOrigin, 'alice') }).first()).toBeVisible()
  await expectNoFaults(page)
})

test('Alice at Northbank pays Bob at Southbank, both see it, and Bob pays back', async ({ page, otherPage: bob }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await signInAtVasp(bob, 'Bob', southbank)
  await lookUp(page, stack.vaspOrigin, addressAt(southbank, 'bob'))
  await expect(fact(page, 'Verified by')).toContainText(`${new URL(southbank).host} (signed, UMA 1)`)
  await askPrice(page, { amount: '4,321', side: 'exactly what they receive', wallet: 'EUR' })
  await expect(fact(page, 'They receive exactly')).toContainText('4,321 SAT')
  // 4,321,000 msats are 397.532 euro cents.
  await page.getByRole('button', { name: 'Pay 3.98 EUR' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expect(page.getByLabel('To', { exact: true })).toContainText('4,321 SAT')

  await bob.goto(`${southbank}/wallets/SAT`)
  await expect(bob.getByText('+4,321').first()).toBeVisible()

  await lookUp(bob, southbank, addressAt(stack.vaspOrigin, 'alice'))
  await askPrice(bob, { amount: '1,000', side: 'what you pay', wallet: 'SAT' })
  await bob.getByRole('button', { name: 'Pay 1,000 SAT' }).click()
  await expect(bob.getByText('✓ Paid')).toBeVisible()
  await expect(bob.getByLabel('To', { exact: true })).toContainText('1.00 USD')
})

test('The shop requests quotes with either side locked and pays one, and pays an address at Southbank', async ({
  page,
}) => {
  await connectShop(page, stack, 'Alice')
  await page.goto(`${stack.shopOrigin}/wallet`)
  const quote = page.locator('#fetch_quote')
  await expect(quote.getByLabel('Address')).toHaveValue(addressAt(southbank, 'bob'))
  await quote.getByLabel('Amount').fill('2100')
  await quote.getByLabel('Fixed side', { exact: true }).selectOption('receiving')
  await quote.getByRole('button').click()
  // 2,100,000 msats at 10,000 a cent.
  await expect(quote.locator('.figure')).toContainText('2.10 USD')
  await expect(quote.locator('.figure')).toContainText('2,100 SAT')
  await quote.getByRole('button', { name: 'Pay at this price' }).click()
  await expect(page.locator('#execute_quote').getByText('Answered')).toBeVisible()

  await quote.getByLabel('Amount').fill('350')
  await quote.getByLabel('Fixed side', { exact: true }).selectOption('sending')
  await quote.getByRole('button', { name: 'Get a price that is valid' }).click()
  await expect(quote.locator('.figure')).toContainText('3,500 SAT')

  const pay = page.locator('#pay_to_address')
  await pay.getByRole('button').click()
  await expect(pay.getByText('Answered')).toBeVisible()
  await expect(pay.locator('.figure')).toContainText('1,000 SAT')
})

test('The Wire shows the messages of a payment to Southbank as one story, as in the picture of the README', async ({
  page,
}) => {
  await walkToStory(page, stack)
  const story = page.locator('main details')
  await expect(story).toHaveCount(1)
  await expect(story.locator('summary')).toContainText(`Paid ${addressAt(southbank, 'bob')} 1,000 SAT`)
  const steps = story.getByRole('list', { name: 'Events in order' }).getByRole('listitem')
  await expect(steps.first()).toContainText('App → VASP')
  await expect(steps.filter({ hasText: 'address lookup sent' })).toContainText('VASP → Other VASP')
  await expect(steps.filter({ hasText: 'payment given to the node' })).toContainText('VASP → Node')
  await expect(steps.filter({ hasText: 'UMA callback received' })).toContainText('Other VASP → VASP')
  await comparePicture(page, STORY)
  await expectNoFaults(page)
})

/** Requests this many satoshis from a user of Northbank; ends on the page of the request. */
async function askForMoney(page: Page, name: string, amount: string): Promise<void> {
  await page.goto(`${southbank}/wallets/receive?tab=uma`)
  await page.getByLabel('Amount to receive').fill(amount)
  await page.getByLabel('Request from (optional)').fill(addressAt(stack.vaspOrigin, name))
  await page.getByRole('button', { name: 'Create UMA invoice' }).click()
  await expect(page.getByRole('heading', { name: 'Request for payment' })).toBeVisible()
}

async function expectNothingAsked(page: Page): Promise<void> {
  await page.goto(`${stack.vaspOrigin}/requests`)
  await expect(page.getByText('✓ Accepted.').first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Decline/ })).toHaveCount(0)
}

test('Requests from Bob at Southbank reach Alice, who declines one and pays the other', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await signInAtVasp(bob, 'Bob', southbank)
  await expect(page.getByRole('link', { name: 'Requests', exact: true })).toBeVisible()
  const list = await page.context().newPage()
  await list.goto(`${stack.vaspOrigin}/requests`)
  await expect(list.getByText('99 SAT')).toBeHidden()
  for (const amount of ['2,500', '99']) await askForMoney(bob, 'alice', amount)
  // Alice's page was open the whole time.
  await expect(page.getByRole('link', { name: 'Requests (2)' })).toBeVisible()
  await expect(page.getByText('2 requests for money are waiting.')).toBeVisible()
  await expect(list.getByText('2,500 SAT')).toBeVisible()
  await expect(list.getByText('99 SAT')).toBeVisible()
  await list.close()
  await expectNoFaults(bob)

  await page.goto(`${stack.vaspOrigin}/requests`)
  await expect(page.getByText('2,500 SAT')).toBeVisible()
  await expectNoFaults(page)
  const small = page.getByRole('listitem').filter({ hasText: '99 SAT' })
  await small.getByRole('button', { name: /^Decline/ }).click()
  await expect(page.getByText('Declined. Nothing was paid')).toBeVisible()
  await page.getByRole('link', { name: 'Get a quote' }).click()
  await expect(page.getByRole('heading', { name: addressAt(southbank, 'bob') })).toBeVisible()
  await expectNoFaults(page)
  await page.getByLabel('Pay from').selectOption('USD')
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await page.getByRole('button', { name: 'Pay 2.50 USD' }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await page.goto(`${stack.vaspOrigin}/requests`)
  await expect(page.getByText('✓ Accepted.')).toBeVisible()

  await bob.goto(`${southbank}/wallets/SAT`)
  await expect(bob.getByText('+2,500').first()).toBeVisible()
})

test('Any user can pay a UMA invoice that is shown to them', async ({ page, otherPage: bob }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await signInAtVasp(bob, 'Bob', southbank)
  await bob.goto(`${southbank}/wallets/receive?tab=uma`)
  await bob.getByLabel('Amount to receive').fill('777')
  await bob.getByRole('button', { name: 'Create UMA invoice' }).click()
  await expect(bob.getByRole('img', { name: 'QR code of this UMA invoice' })).toBeVisible()
  const encoded = await bob.locator('code', { hasText: /^uma1/ }).innerText()
  await lookUp(page, stack.vaspOrigin, encoded)
  await expect(fact(page, 'They receive')).toContainText('777 SAT')
  await page.getByLabel('Pay from').selectOption('EUR')
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await page.getByRole('button', { name: /^Pay 0.72 EUR/ }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  // The page polls by itself.
  await expect(bob.getByText('✓ Paid')).toBeVisible()
  await expect(fact(bob, 'From')).toContainText(addressAt(stack.vaspOrigin, 'alice'))
  await expectNoFaults(bob)
  await bob.getByRole('link', { name: 'All invoices' }).click()
  await expect(bob.getByRole('heading', { name: 'UMA invoices' })).toBeVisible()
  // Once, and not again among the Lightning invoices.
  await expect(bob.getByText('777 SAT')).toHaveCount(1)
  await bob
    .getByRole('region', { name: 'UMA invoices' })
    .getByRole('link', { name: `From ${addressAt(stack.vaspOrigin, 'alice')}` })
    .first()
    .click()
  await expect(bob.getByText('✓ Paid')).toBeVisible()
})

test('A request is quoted, quoted again for another wallet, and paid, and then cannot be paid again', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await signInAtVasp(bob, 'Bob', southbank)
  await askForMoney(bob, 'alice', '1,234')
  await page.goto(`${stack.vaspOrigin}/requests`)
  await page.getByRole('link', { name: 'Get a quote' }).click()
  await page.getByLabel('Pay from').selectOption('USD')
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await expect(page.getByRole('button', { name: 'Pay 1.24 USD' })).toBeVisible()
  await page.getByRole('link', { name: 'Another wallet' }).click()
  await expect(page.getByLabel('Pay from')).toHaveValue('USD')
  await page.getByLabel('Pay from').selectOption('EUR')
  await page.getByRole('button', { name: 'Get a quote' }).click()
  await page.getByRole('button', { name: /^Pay .* EUR$/ }).click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expectNothingAsked(page)
  await bob.reload()
  await expect(bob.getByText('✓ Paid')).toBeVisible()
})

test('A wallet that holds too little shows ways to add money instead of a Pay button, and pays after that', async ({
  page,
  otherPage: bob,
}) => {
  await signInAtVasp(page, 'Penny', stack.vaspOrigin)
  await signInAtVasp(bob, 'Bob', southbank)
  await askForMoney(bob, 'penny', '55')
  await page.goto(`${stack.vaspOrigin}/requests`)
  await page.getByRole('link', { name: 'Get a quote' }).click()
  await page.getByRole('button', { name: 'Get a quote' }).click()
  const pay = page.getByRole('button', { name: /^Pay / })
  await expect(page.getByRole('alert').filter({ hasText: 'You have 0.00 USD' })).toBeVisible()
  await expect(pay).toHaveCount(0)
  await expectNoFaults(page)
  const price = page.url()
  await page.getByRole('link', { name: 'Add test money to USD' }).click()
  await page.getByRole('button', { name: 'Add test money' }).click()
  await page.goto(price)
  await pay.click()
  await expect(page.getByText('✓ Paid')).toBeVisible()
  await expectNothingAsked(page)
})

test('A UMA invoice whose form is sent twice is created once, and is listed while it is open', async ({
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob', southbank)
  await bob.goto(`${southbank}/wallets/receive?tab=uma`)
  await bob.getByLabel('Amount to receive').fill('88')
  const sent = bob.waitForRequest((request) => request.method() === 'POST')
  await bob.getByRole('button', { name: 'Create UMA invoice' }).click()
  const [url, data] = [(await sent).url(), (await sent).postData() ?? '']
  await expect(bob.getByText('○ Waiting for payment')).toBeVisible()
  await expectNoFaults(bob)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: southbank }
  const again = await bob.request.post(url, { data, headers, maxRedirects: 0 })
  expect(again.headers().location).toBe(new URL(bob.url()).pathname)
  await bob.goto(`${southbank}/invoices`)
  const row = bob.getByRole('listitem').filter({ hasText: '88 SAT' })
  await expect(row).toHaveCount(1)
  await row.getByRole('link').click()
  await expect(bob.getByRole('img', { name: 'QR code of this UMA invoice' })).toBeVisible()
})

test('The form explains why a payer cannot receive a request: an unknown user, an invalid address, no VASP at the domain', async ({
  otherPage: bob,
}) => {
  await signInAtVasp(bob, 'Bob', southbank)
  for (const [payer, words] of [
    [addressAt(stack.vaspOrigin, 'nobody'), 'No one has that address'],
    ['alice', 'This is not a UMA address'],
    ['$alice@elsewhere.example', 'Their provider'],
  ] as const) {
    await bob.goto(`${southbank}/wallets/receive?tab=uma`)
    await bob.getByLabel('Amount to receive').fill('66')
    await bob.getByLabel('Request from (optional)').fill(payer)
    await bob.getByRole('button', { name: 'Create UMA invoice' }).click()
    await expect(bob.getByRole('alert').filter({ hasText: words })).toBeVisible()
    await expect(bob.getByLabel('Request from (optional)')).toHaveValue(payer)
  }
  await expectNoFaults(bob)
  await bob.goto(`${southbank}/invoices`)
  await expect(bob.getByText('66 SAT')).toHaveCount(0)
})
