import { expect, type Locator, type Page } from 'playwright/test'

/** The origins of the shop and the VASP in a test. */
export interface Places {
  readonly shopOrigin: string
  readonly vaspOrigin: string
}

export type Role = 'wallet' | 'merchant'

const addressOf = (places: Pick<Places, 'vaspOrigin'>, user: string): string =>
  `$${user.toLowerCase()}@${new URL(places.vaspOrigin).host}`

/** Enters an address at the shop; ends on its page before the gateway, and returns the link to the gateway. */
export async function beginToConnect(
  page: Page,
  places: Places,
  user: string,
  role: Role = 'wallet',
): Promise<Locator> {
  await page.goto(`${places.shopOrigin}/${role}`)
  await page.locator('#address').fill(addressOf(places, user))
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const link = page.getByRole('link', { name: /^Continue to/ })
  await expect(link).toBeVisible()
  return link
}

/** Starts at the shop with an address; ends at the gateway's approval page, and fails if a sign-in page appears. */
export async function askSilently(page: Page, places: Places, user: string): Promise<void> {
  await (await beginToConnect(page, places, user)).click()
  await expect(page.getByRole('heading', { name: `to ${addressOf(places, user)}` })).toBeVisible()
}

/**
 * Starts at the shop with an address; ends at the gateway's approval page, after the sign-in where one is needed. Calls
 * `atSignIn` while the sign-in page is shown.
 */
export async function askToConnect(
  page: Page,
  places: Places,
  user: string,
  role: Role = 'wallet',
  atSignIn?: () => Promise<void>,
): Promise<void> {
  await (await beginToConnect(page, places, user, role)).click()
  await reachApproval(page, places, user, atSignIn)
}

/**
 * Starts at the address to which an app has sent the browser; ends at the gateway's approval page, after the sign-in
 * where one is needed.
 */
export async function reachApproval(
  page: Page,
  places: Pick<Places, 'vaspOrigin'>,
  user: string,
  atSignIn?: () => Promise<void>,
): Promise<void> {
  const approval = page.getByRole('heading', { name: `to ${addressOf(places, user)}` })
  const signIn = page.getByRole('button', { name: `Continue as ${user}` })
  await expect(approval.or(signIn).first()).toBeVisible()
  if (await signIn.isVisible()) {
    await atSignIn?.()
    await signIn.click()
  }
  await expect(approval).toBeVisible()
}

/** Approves the request; ends at the shop, connected. */
export async function approveForShop(page: Page): Promise<void> {
  // Nothing is suggested for a wallet in another currency than the budget that the shop asks for.
  const amount = page.getByLabel(/^Amount in /)
  if ((await amount.inputValue()) === '') await amount.fill('20000')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('UMA Auth at')).toBeVisible()
}

export async function connectShop(page: Page, places: Places, user: string, role: Role = 'wallet'): Promise<void> {
  await askToConnect(page, places, user, role)
  await approveForShop(page)
}

/** Buys the first item of the catalogue and pays from the connected wallet. */
export async function buyFirst(page: Page, places: Places): Promise<void> {
  await page.goto(places.shopOrigin)
  await page
    .getByRole('button', { name: /^Buy: / })
    .first()
    .click()
  await page.getByRole('button', { name: /^Pay .* from/ }).click()
}

/** Sends a command to the connected wallet; ends with its answer on the page, and returns it. */
export async function askWallet(
  page: Page,
  { shopOrigin }: Pick<Places, 'shopOrigin'>,
  command: string,
): Promise<Locator> {
  await page.goto(`${shopOrigin}/wallet`)
  await page.locator(`#${command}`).getByRole('button').click()
  const answer = page.locator(`#${command} .answer`)
  await expect(answer).toBeVisible()
  return answer
}

/**
 * Creates a manual connection at the gateway while signed out; ends on the page with its pairing URI, and returns it.
 */
export async function connectByHand(page: Page, gatewayOrigin: string, user: string): Promise<string> {
  await page.goto(`${gatewayOrigin}/login?return=/connection/new`)
  await page.getByRole('button', { name: `Continue as ${user}` }).click()
  await page.getByLabel('Name of the app').fill('Paired by hand')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  return page.locator('#pairing').innerText()
}

export async function pasteInShop(page: Page, { shopOrigin }: Pick<Places, 'shopOrigin'>, uri: string): Promise<void> {
  await page.goto(`${shopOrigin}/wallet`)
  await page.getByLabel('Pairing URI').fill(uri)
  await page.getByRole('button', { name: 'Connect with this URI' }).click()
  await expect(page.getByText('a pasted pairing URI')).toBeVisible()
}

/** Opens the user's latest connection at the gateway, or the latest of the given app; ends on its page. */
export async function openConnection(page: Page, gatewayOrigin: string, user: string, app = ''): Promise<void> {
  await page.goto(`${gatewayOrigin}/login?return=/`)
  const choose = page.getByRole('button', { name: `Continue as ${user}` })
  await expect(choose.or(page.getByRole('heading', { name: 'Connections of' })).first()).toBeVisible()
  if (await choose.isVisible()) await choose.click()
  await page.locator('main li a', { hasText: app }).first().click()
  await expect(page.getByRole('heading', { name: 'The app can' })).toBeVisible()
}
