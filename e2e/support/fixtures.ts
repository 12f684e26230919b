import { test as base, expect, type Page } from 'playwright/test'
import { sharedStack } from './shared-stack'

export const vaspOrigin = (): string => sharedStack().vaspOrigin
export const gatewayOrigin = (): string => sharedStack().gatewayOrigin
export const shopOrigin = (): string => sharedStack().shopOrigin

/** Errors that the browser reports: a violated content policy appears in its console only. */
function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    // The browser reports a deliberate 4xx page as a failed load. Every other error counts.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  return errors
}

/** Pages of two users, each with their own browser. Any error in a console fails the test. */
export const test = base.extend<{ page: Page; otherPage: Page }>({
  page: async ({ page }, use) => {
    const errors = collectErrors(page)
    await use(page)
    expect(errors, 'errors in the browser console').toEqual([])
  },
  otherPage: async ({ browser }, use) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const errors = collectErrors(page)
    await use(page)
    await context.close()
    expect(errors, "errors in the other browser's console").toEqual([])
  },
})

export { expect }

/** Signs in at the VASP as a user of the sandbox; ends on the wallets, when the page's scripts have run. */
export async function signInAtVasp(page: Page, user: string, origin = vaspOrigin()): Promise<void> {
  await page.goto(`${origin}/login`)
  await page.getByRole('button', { name: `Continue as ${user}` }).click()
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  await page.waitForLoadState('domcontentloaded')
}

export interface Wanted {
  readonly amount?: string
  readonly memo: string
  /** A label of the expiry list. */
  readonly expiry?: string
}

/** Creates an invoice on the receive page; ends on the invoice's page and returns its text. */
export async function makeInvoice(
  page: Page,
  { amount = '', memo, expiry = '1 hour' }: Wanted,
  origin = vaspOrigin(),
): Promise<string> {
  await page.goto(`${origin}/wallets/receive?tab=invoice`)
  await page.getByLabel('Amount (optional)').fill(amount)
  await page.getByLabel('Memo').fill(memo)
  await page.getByLabel('Valid for').selectOption({ label: expiry })
  await page.getByRole('button', { name: 'Create invoice' }).click()
  await expect(page.getByRole('heading', { name: memo })).toBeVisible()
  return page.locator('code', { hasText: /^lnbcrt/ }).innerText()
}

/** Pastes an invoice on the send page and continues to its preview. */
export async function previewInvoice(page: Page, invoice: string, origin = vaspOrigin()): Promise<void> {
  await page.goto(`${origin}/wallets/send`)
  await lookAtInvoice(page, invoice)
}

/** As above, on the open send page. */
export async function lookAtInvoice(page: Page, invoice: string): Promise<void> {
  await page.getByLabel('Address or invoice').fill(invoice)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Signs in at the gateway as a user of the sandbox; ends on the gateway's page. */
export async function signInAtGateway(page: Page, user: string): Promise<void> {
  await page.goto(gatewayOrigin())
  await page.getByRole('button', { name: 'Sign in at Northbank' }).click()
  await page.getByRole('button', { name: `Continue as ${user}` }).click()
  await expect(page.getByRole('heading', { name: `Connections of $${user.toLowerCase()}@` })).toBeVisible()
}

/** Approves a connection with the default choices; ends on the connection's page. */
export async function approve(page: Page, name: string, life = 'Never'): Promise<void> {
  await page.goto(`${gatewayOrigin()}/connection/new`)
  await page.getByLabel('Name of the app').fill(name)
  await page.getByLabel('Expires').selectOption({ label: life })
  await page.getByRole('button', { name: 'Connect' }).click()
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
}

/** Opens the menu on the user's rosette, where the user signs out. */
export async function openMenu(page: Page): Promise<void> {
  await page.locator('header summary', { hasText: 'Menu of' }).click()
}

export async function revokeAtVasp(page: Page, origin = vaspOrigin()): Promise<void> {
  await page.goto(`${origin}/connections`)
  await page.getByRole('link', { name: 'Revoke all from the last 24 hours' }).click()
  await page.getByRole('button', { name: 'Revoke all from the last 24 hours' }).click()
  await expect(page.getByText('All connections from the last 24 hours are revoked.')).toBeVisible()
}
