import type { Locator, Page } from 'playwright/test'
import { pairStackShop } from '../../test/stack/stack'
import { expect, gatewayOrigin, shopOrigin, signInAtVasp, test, vaspOrigin } from '../support/fixtures'
import { comparePicture, savedPictures, STORY, walkTour } from '../support/pictures'
import { sharedStack } from '../support/shared-stack'
import {
  approveForShop,
  askToConnect,
  askWallet,
  beginToConnect,
  buyFirst,
  connectByHand,
  connectShop,
  openConnection,
  pasteInShop,
  type Places,
} from '../support/shop'

// The tests are independent, so both workers share them.
test.describe.configure({ mode: 'parallel' })

const places = (): Places => ({ shopOrigin: shopOrigin(), vaspOrigin: vaspOrigin() })

const ask = (page: Page, command: string): Promise<Locator> => askWallet(page, places(), command)

const openConnectionOf = (page: Page, user: string): Promise<void> => openConnection(page, gatewayOrigin(), user)

test('The five-minute tour shows the pages in the pictures of the documents, and the exact amount in both ledgers and the budget', async ({
  page,
  otherPage,
}) => {
  await pairStackShop(sharedStack())
  await page.goto(shopOrigin())
  const price = (await page.locator('.products .price').first().innerText()).replace(/\D/g, '')
  const cents = Math.ceil(Number(price) / 10)
  const dollars = (cents / 100).toFixed(2)
  await page.getByRole('link', { name: 'Connect your wallet' }).click()
  await expect(page.getByLabel('Your UMA address')).toHaveValue(`$alice@${new URL(vaspOrigin()).host}`)
  const pictures: string[] = []
  await walkTour(page, places(), async (name) => {
    pictures.push(name)
    await comparePicture(page, name)
  })
  const message = 'docs/images has other pictures than the tour: delete those it lost, run npm run demo:film'
  expect.soft([...pictures, STORY].toSorted(), message).toEqual(savedPictures())

  await expect(page.getByText(`${dollars} USD spent of 50.00 USD`)).toBeVisible()
  await page.getByRole('link', { name: 'revoke the token at Northbank' }).click()
  await expect(page.getByRole('heading', { name: 'Connections', exact: true })).toBeVisible()
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
  await ask(page, 'get_budget')
  await expect(page.locator('#get_budget .answer')).toContainText((50 - cents / 100).toFixed(2))
})

test('The shop gets the reduced permissions, the budget and the expiry that the user chose', async ({ page }) => {
  await askToConnect(page, places(), 'Alice')
  await page.getByLabel('Read your balance').uncheck()
  await page.getByLabel('Amount in USD').fill('1.00')
  await page.getByLabel('Resets').selectOption('daily')
  await page.getByLabel('Expires').selectOption({ label: 'In one day' })
  await approveForShop(page)
  await ask(page, 'get_balance')
  await expect(page.locator('#get_balance')).toContainText('RESTRICTED')
  await ask(page, 'get_budget')
  await expect(page.locator('#get_budget .answer')).toContainText('1.00')
})

test('A connection that has expired is refused at the next call, and the shop explains why', async ({ page }) => {
  // The user signs in first, so that sign-in does not use up the short lifetime, which is long enough for a busy machine.
  const began = performance.now()
  await connectShop(page, places(), 'Khalid')
  const lives = Math.max(6, Math.ceil((3 * (performance.now() - began)) / 1_000))
  await page.getByRole('button', { name: 'Disconnect' }).click()
  const link = await beginToConnect(page, places(), 'Khalid')
  await link.evaluate((element, seconds) => {
    const anchor = element as HTMLAnchorElement
    const url = new URL(anchor.href)
    url.searchParams.set('expires_at', String(Math.floor(Date.now() / 1000) + seconds))
    anchor.href = url.href
  }, lives)
  await link.click()
  await expect(page.getByLabel('Expires')).toHaveValue('asked')
  await approveForShop(page)
  await expect(await ask(page, 'get_balance')).toContainText('KWD')
  await expect(async () => {
    const answer = await ask(page, 'get_balance')
    await expect(answer).toContainText('UNAUTHORIZED', { timeout: 100 })
    await expect(answer).toContainText('This connection has ended. Connect again.')
    await expect(answer).toContainText('The connection has ended: it expired')
  }).toPass({ timeout: lives * 1_000 + 60_000 })
  await openConnectionOf(page, 'Khalid')
  await expect(page.getByText('Ended.')).toBeVisible()
})

test('A payment over the budget is refused before the wallet is asked to pay, no ledger changes, and it goes through once the budget is raised', async ({
  page,
  otherPage,
}) => {
  await pairStackShop(sharedStack())
  await signInAtVasp(otherPage, 'Bob')
  await askToConnect(page, places(), 'Alice')
  await page.getByLabel('Amount in USD').fill('0.01')
  await approveForShop(page)
  const before = [await walletsOf(page), await walletsOf(otherPage)]
  await buyFirst(page, places())
  await expect(page.getByText('The payment is larger than the remaining budget.').first()).toBeVisible()
  await expect(page.getByText('QUOTA_EXCEEDED').first()).toBeVisible()
  const order = page.url()
  expect([await walletsOf(page), await walletsOf(otherPage)]).toEqual(before)
  await openConnectionOf(page, 'Alice')
  await expect(page.getByText('0.00 USD spent of 0.01 USD')).toBeVisible()
  await expect(page.getByText(' reserved')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Payments' })).toHaveCount(0)

  await page.getByLabel('New budget in').fill('1.00')
  await page.getByRole('button', { name: 'Change budget' }).click()
  await page.goto(order)
  await page.getByRole('button', { name: /^Pay .* from/ }).click()
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
})

/** The balances of the user's wallets on the VASP's page. */
async function walletsOf(page: Page): Promise<string> {
  await page.goto(`${vaspOrigin()}/wallets`)
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  // Only the wallets: the notice of new connections above them changes with the clock.
  return (await page.getByRole('main').getByRole('region').allInnerTexts()).join('\n')
}

test('A manual connection is paired by its URI, which is shown once, and works in the shop', async ({ page }) => {
  const uri = await connectByHand(page, gatewayOrigin(), 'Alice')
  await expect(page.locator('.qr svg')).toBeVisible()
  await page.reload()
  await expect(page.locator('#pairing')).toHaveCount(0)
  await pasteInShop(page, places(), uri)
  await expect(await ask(page, 'get_info')).toContainText('Northbank')
})
