import type { Locator, Page } from 'playwright/test'
import { ERROR_CODES, type ErrorCode } from 'uma-auth-vasp'
import { startStack, type Stack } from '../../test/stack/stack'
import { expect, revokeAtVasp, test } from '../support/fixtures'
import { askWallet, connectShop } from '../support/shop'

let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack?.stop())

/** The recipe for an error code, on the page of all recipes. */
async function openRecipe(page: Page, code: ErrorCode): Promise<Locator> {
  await page.goto(`${stack.vaspOrigin}/developers/errors`)
  return page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: code }) })
}

/** Pays an address from the connected wallet of the shop; returns the answer. */
async function payAtShop(page: Page, address: string, amount = '100'): Promise<Locator> {
  await page.locator(`a[href="${stack.shopOrigin}/wallet"]`).click()
  const step = page.locator('#pay_to_address')
  await step.getByLabel('Address').fill(address)
  await step.getByLabel('Amount sent, in smallest units').fill(amount)
  await step.getByRole('button').click()
  return page.locator('#pay_to_address .answer')
}

/** Pays the test recipient that the recipe names first. */
async function payRecipient(page: Page, code: ErrorCode): Promise<Locator> {
  return payAtShop(page, await (await openRecipe(page, code)).getByRole('link', { name: /^\$/ }).first().innerText())
}

/** Injects the error into the next call of the connection, as the recipe says, and sends that call. */
async function inject(page: Page, code: ErrorCode): Promise<Locator> {
  await (await openRecipe(page, code)).getByRole('link', { name: 'Connections' }).click()
  await page.locator('main a[href^="/connections/"]').first().click()
  const faults = page.getByRole('region', { name: 'Faults' })
  const option = faults.getByLabel('Fault', { exact: true }).locator('option', { hasText: code })
  await faults.getByLabel('Fault', { exact: true }).selectOption((await option.first().getAttribute('value')) ?? '')
  await faults.getByRole('button', { name: 'Add fault' }).click()
  await expect(page.getByRole('list', { name: 'Active faults' }).getByRole('listitem')).toHaveCount(1)
  return askWallet(page, stack, 'get_balance')
}

test('each of the ten error codes is produced in a browser, without code, by its recipe', async ({ page }) => {
  await connectShop(page, stack, 'Alice')
  const satonly = `$satonly@${new URL(stack.vaspOrigin).host}`
  const walks: readonly (readonly [ErrorCode, () => Promise<Locator>])[] = [
    ['PAYMENT_FAILED', () => payRecipient(page, 'PAYMENT_FAILED')],
    ['NOT_FOUND', () => payRecipient(page, 'NOT_FOUND')],
    ['RESTRICTED', () => payRecipient(page, 'RESTRICTED')],
    ['OTHER', () => payRecipient(page, 'OTHER')],
    ['RATE_LIMITED', () => inject(page, 'RATE_LIMITED')],
    ['NOT_IMPLEMENTED', () => inject(page, 'NOT_IMPLEMENTED')],
    ['INTERNAL', () => inject(page, 'INTERNAL')],
    [
      'QUOTA_EXCEEDED',
      async () => {
        await expect(await openRecipe(page, 'QUOTA_EXCEEDED')).toContainText('60.00 USD with a budget of 50.00 USD')
        return payAtShop(page, satonly, '6000')
      },
    ],
    [
      'UNAUTHORIZED',
      async () => {
        await expect(await openRecipe(page, 'UNAUTHORIZED')).toContainText('Revoke the connection under Connections')
        await revokeAtVasp(page, stack.vaspOrigin)
        return askWallet(page, stack, 'get_balance')
      },
    ],
    [
      'INSUFFICIENT_BALANCE',
      async () => {
        await expect(await openRecipe(page, 'INSUFFICIENT_BALANCE')).toContainText('Connect an app as Penny')
        await page.context().clearCookies()
        await connectShop(page, stack, 'Penny')
        await page.goto(`${stack.vaspOrigin}/developers/errors`)
        return payAtShop(page, satonly)
      },
    ],
  ]
  expect(walks.map(([code]) => code).toSorted()).toEqual([...ERROR_CODES].toSorted())
  let sumMs = 0
  for (const [code, walk] of walks) {
    const startedAtMs = Date.now()
    await expect(await walk()).toContainText(code)
    const ms = Date.now() - startedAtMs
    sumMs += ms
    test.info().annotations.push({ type: code, description: `${ms} ms` })
  }
  console.log(
    test
      .info()
      .annotations.map(({ type, description }) => `${type} ${description}`)
      .join(', '),
    `sum ${sumMs} ms`,
  )
})
