import { test as base, expect, type Page } from '@playwright/test'

export const vaspOrigin = (): string => process.env.E2E_VASP_ORIGIN ?? ''
export const gatewayOrigin = (): string => process.env.E2E_GATEWAY_ORIGIN ?? ''

/** A page on which any error in the browser's console fails the test: a broken policy shows there and nowhere else. */
export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const errors: string[] = []
    page.on('console', (message) => {
      // A page that answers 4xx on purpose is reported as a failed load; everything else counts.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(error.message))
    await use(page)
    expect(errors, 'errors in the browser console').toEqual([])
  },
})

export { expect }

/** Signs in at the gateway as a person of the sandbox; ends on the gateway's page. */
export async function signInAtGateway(page: Page, person: string): Promise<void> {
  await page.goto(gatewayOrigin())
  await page.getByRole('button', { name: 'Sign in at Northbank' }).click()
  await page.getByRole('button', { name: `Continue as ${person}` }).click()
  await expect(page.getByRole('heading', { name: `Connections of $${person.toLowerCase()}@` })).toBeVisible()
}

/** Approves a connection with what is ticked by default; ends on the connection's page. */
export async function approve(page: Page, name: string, life = 'No end'): Promise<void> {
  await page.goto(`${gatewayOrigin()}/connection/new`)
  await page.getByLabel('Name of the app').fill(name)
  await page.getByLabel('Until').selectOption({ label: life })
  await page.getByRole('button', { name: 'Connect' }).click()
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
}

export async function revokeAtVasp(page: Page): Promise<void> {
  await page.goto(`${vaspOrigin()}/connections`)
  await page.getByRole('link', { name: 'Revoke all of today' }).click()
  await page.getByRole('button', { name: 'Yes, revoke all of today' }).click()
  await expect(page.getByText('Everything connected in the last 24 hours is revoked.')).toBeVisible()
}
