import { expect, test, type Page } from '@playwright/test'
import { buyFirst, connectShop } from './shop'
import { startStack, type Stack } from './stack'

// A stack of its own, because its processes are ended one after the other.
let stack: Stack
test.beforeAll(async () => {
  test.setTimeout(90_000)
  stack = await startStack()
})
test.afterAll(() => stack.stop())
test.describe.configure({ mode: 'serial', timeout: 90_000 })

let page: Page
test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext()).newPage()
})

async function balance(): Promise<string> {
  await page.goto(`${stack.shopOrigin}/wallet`)
  await page.locator('#get_balance').getByRole('button').click()
  return page.locator('#get_balance .answer').innerText()
}

test('A purchase works before anything is broken', async () => {
  await connectShop(page, stack, 'Bob', 'merchant')
  await connectShop(page, stack, 'Alice')
  await buyFirst(page, stack)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
})

test('With the VASP down the shop says whose side it is, and works again when it is back', async () => {
  await stack.kill('VASP')
  expect(await balance()).toMatch(/wallet|VASP/i)
  await page.goto(stack.gatewayOrigin)
  await expect(page.getByText('SIMULATOR')).toBeVisible()
  await stack.revive('VASP')
  await expect.poll(balance).toContain('USD')
})

test('With the relay down both say so, and both find it again by themselves', async () => {
  await stack.kill('relay')
  await expect(async () => {
    await page.goto(stack.gatewayOrigin)
    await expect(page.getByText('does not answer, so no app can reach a wallet')).toBeVisible({ timeout: 1_000 })
    await page.goto(stack.shopOrigin)
    await expect(page.getByText('cannot be reached').first()).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await stack.revive('relay')
  await expect.poll(balance, { timeout: 30_000 }).toContain('USD')
})

test('With the gateway down the shop says so, and goes on when it is back', async () => {
  await stack.kill('gateway')
  expect(await balance()).toMatch(/gateway|did not answer|no answer/i)
  await stack.revive('gateway')
  await expect.poll(balance, { timeout: 30_000 }).toContain('USD')
})

test('After all processes were killed and started again, the connection, its budget and the shop go on', async () => {
  const parts = ['shop', 'relay', 'gateway', 'VASP'] as const
  for (const part of parts) await stack.kill(part)
  for (const part of parts) await stack.revive(part)
  await expect.poll(balance, { timeout: 30_000 }).toContain('USD')
  await buyFirst(page, stack)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
  await page.goto(`${stack.gatewayOrigin}/login?return=/`)
  const choose = page.getByRole('button', { name: 'Continue as Alice' })
  await expect(choose.or(page.getByRole('heading', { name: 'Connections of' })).first()).toBeVisible()
  if (await choose.isVisible()) await choose.click()
  await page.getByRole('main').getByRole('listitem').getByRole('link').first().click()
  await expect(page.getByText('paid', { exact: true })).toHaveCount(2)
})
