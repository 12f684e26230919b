import { expect, test, type Locator, type Page } from 'playwright/test'
import { startStack, type Stack } from '../../test/stack/stack'
import { revokeAtVasp } from '../support/fixtures'
import {
  approveForShop,
  askSilently,
  askWallet,
  buyFirst,
  connectByHand,
  connectShop,
  openConnection,
  pasteInShop,
} from '../support/shop'

// A separate stack, because its processes are killed one after the other.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack.stop())
test.describe.configure({ mode: 'serial' })

let page: Page
/**
 * Each page has its own browser and is a separate customer: one is paired manually, one is revoked and one is disconnected.
 */
let byHand: Page
let revoked: Page
let disconnected: Page
test.beforeAll(async ({ browser }) => {
  const visitor = async (): Promise<Page> => (await browser.newContext()).newPage()
  page = await visitor()
  byHand = await visitor()
  revoked = await visitor()
  disconnected = await visitor()
})

const ask = (visitor: Page, command: string): Promise<Locator> => askWallet(visitor, stack, command)

async function balance(visitor = page): Promise<string> {
  return (await ask(visitor, 'get_balance')).innerText()
}

test('A purchase works before anything is broken', async () => {
  await connectShop(page, stack, 'Bob', 'merchant')
  await connectShop(page, stack, 'Alice')
  await buyFirst(page, stack)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
})

test('Three more visitors are connected before anything is broken', async () => {
  await pasteInShop(byHand, stack, await connectByHand(byHand, stack.gatewayOrigin, 'Alice'))
  await connectShop(revoked, stack, 'Khalid')
  await connectShop(disconnected, stack, 'Yuki')
  expect(await balance(byHand)).toContain('USD')
  expect(await balance(revoked)).toContain('KWD')
  expect(await balance(disconnected)).toContain('JPY')
})

test('With the VASP down the shop names it as the cause, and works again when it is back', async () => {
  await stack.kill('VASP')
  expect(await balance()).toMatch(/wallet|VASP/i)
  await page.goto(stack.gatewayOrigin)
  await expect(page.getByText('GATEWAY SIMULATOR', { exact: true })).toBeVisible()
  await stack.revive('VASP')
  await expect.poll(() => balance()).toContain('USD')
})

test('With the relay down the shop and the gateway report it, and both reconnect by themselves', async () => {
  await stack.kill('relay')
  await expect(async () => {
    await page.goto(stack.gatewayOrigin)
    await expect(page.getByText('does not answer. No app can reach a wallet')).toBeVisible({ timeout: 1_000 })
    await page.goto(stack.shopOrigin)
    await expect(page.getByText('cannot be reached').first()).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await stack.revive('relay')
  await expect.poll(() => balance()).toContain('USD')
})

test('With the gateway down the shop reports it, and works again when it is back', async () => {
  await stack.kill('gateway')
  expect(await balance()).toMatch(/gateway|did not answer|no answer/i)
  await stack.revive('gateway')
  await expect.poll(() => balance()).toContain('USD')
})

test('After all processes are killed and restarted, a connection’s spending still counts', async () => {
  const before = await (await ask(page, 'get_budget')).innerText()
  expect(before).toContain('used')
  const parts = ['shop', 'relay', 'gateway', 'VASP'] as const
  for (const part of parts) await stack.kill(part)
  await Promise.all(parts.map((part) => stack.revive(part)))
  await expect.poll(() => balance()).toContain('USD')
  expect(withoutCall(await (await ask(page, 'get_budget')).innerText())).toBe(withoutCall(before))
})

/** An answer without the parts that differ between calls. */
function withoutCall(answer: string): string {
  return answer.replace(/\d+ \w+ (\d{4} at )?\d\d:\d\d(:\d\d)? UTC/g, 'a moment')
}

test('After the restart, an earlier connection still pays, and the budget counts both payments', async () => {
  await buyFirst(page, stack)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
  await openConnection(page, stack.gatewayOrigin, 'Alice', 'Tern & Quill')
  await expect(page.getByText('paid', { exact: true })).toHaveCount(2)
})

test('After the restart, the shop refreshes its access, and the new access works', async () => {
  await page.goto(`${stack.shopOrigin}/wallet`)
  await page.getByRole('button', { name: 'Renew access now' }).click()
  await expect(page.getByText('Access renewed; the old token no longer works.')).toBeVisible()
  expect(await balance()).toContain('USD')
})

test('After the restart, connecting again needs no sign-in, and the new connection pays', async () => {
  await page.goto(`${stack.shopOrigin}/wallet`)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await askSilently(page, stack, 'Alice')
  await approveForShop(page)
  await buyFirst(page, stack)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
})

test('After the restart, an earlier manual connection still works', async () => {
  await expect(await ask(byHand, 'get_info')).toContainText('Northbank')
  await buyFirst(byHand, stack)
  await expect(byHand.getByText('Paid. Thank you')).toBeVisible()
})

test('After the restart, the shop sees a revocation at the VASP at its next call', async () => {
  expect(await balance(revoked)).toContain('KWD')
  await revokeAtVasp(revoked, stack.vaspOrigin)
  await expect(await ask(revoked, 'get_balance')).toContainText('UNAUTHORIZED')
})

test('After the restart, the shop sees a disconnection at the gateway at its next call', async () => {
  expect(await balance(disconnected)).toContain('JPY')
  await openConnection(disconnected, stack.gatewayOrigin, 'Yuki')
  await disconnected.getByRole('button', { name: 'Disconnect' }).click()
  await expect(disconnected.getByText('Ended.')).toBeVisible()
  await expect(await ask(disconnected, 'get_balance')).toContainText('UNAUTHORIZED')
})
