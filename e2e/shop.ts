import { expect, type Page } from '@playwright/test'

/** Where the shop and the wallet operator of a test stand. */
export interface Places {
  readonly shopOrigin: string
  readonly vaspOrigin: string
}

export type Role = 'wallet' | 'merchant'

/**
 * Starts at the shop with an address; ends at the gateway's approval page, after the sign-in where one is needed.
 * `atSignIn` is called while that page is shown.
 */
export async function askToConnect(
  page: Page,
  places: Places,
  person: string,
  role: Role = 'wallet',
  atSignIn?: () => Promise<void>,
): Promise<void> {
  const address = `$${person.toLowerCase()}@${new URL(places.vaspOrigin).host}`
  await page.goto(`${places.shopOrigin}/${role}`)
  await page.locator('#address').fill(address)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: /^Go on to/ }).click()
  const approval = page.getByRole('heading', { name: `to ${address}` })
  const signIn = page.getByRole('button', { name: `Continue as ${person}` })
  await expect(approval.or(signIn).first()).toBeVisible()
  if (await signIn.isVisible()) {
    await atSignIn?.()
    await signIn.click()
  }
  await expect(approval).toBeVisible()
}

/** Approves what is asked for; ends at the shop, connected. */
export async function approveForShop(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText('UMA Auth at')).toBeVisible()
}

export async function connectShop(page: Page, places: Places, person: string, role: Role = 'wallet'): Promise<void> {
  await askToConnect(page, places, person, role)
  await approveForShop(page)
}

/** Gives the shop a wallet of its own, Bob's, where it has none: it is one for all its visitors. */
export async function openShop(page: Page, places: Places): Promise<void> {
  await page.goto(places.shopOrigin)
  if (await page.getByText('The shop cannot be paid yet').isVisible())
    await connectShop(page, places, 'Bob', 'merchant')
}

/** Buys the first thing of the catalogue and pays from the connected wallet. */
export async function buyFirst(page: Page, places: Places): Promise<void> {
  await page.goto(places.shopOrigin)
  await page
    .getByRole('button', { name: /^Buy: / })
    .first()
    .click()
  await page.getByRole('button', { name: /^Pay .* from/ }).click()
}
