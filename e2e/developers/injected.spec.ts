import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, gatewayOrigin, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

// The tests are independent, so both workers share them.
test.describe.configure({ mode: 'parallel' })

const tokenOf = (username: string): Promise<string> =>
  fetchToken({
    vaspOrigin: vaspOrigin(),
    gatewayRootUrl: gatewayOrigin(),
    instance: 'northbank',
    username,
    password: 'sandbox',
    permissions: ['get_info'],
  })

const idOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti

const call = (token: string): Promise<Response> =>
  fetch(`${vaspOrigin()}/umanwc/v1/info`, { headers: { Authorization: `Bearer ${token}` } })

const section = (page: Page) => page.getByRole('region', { name: 'Faults' })
const active = (page: Page) => page.getByRole('list', { name: 'Active faults' }).getByRole('listitem')

async function addFault(page: Page, label: string, calls = '1', seconds = ''): Promise<void> {
  await section(page).getByLabel('Fault', { exact: true }).selectOption({ label })
  await section(page).getByLabel('Calls').fill(calls)
  await section(page).getByLabel('Seconds (optional)').fill(seconds)
  await section(page).getByRole('button', { name: 'Add fault' }).click()
}

test('the owner adds a fault, sees its remaining calls decrease while the app calls, and stops it', async ({
  page,
}) => {
  const token = await tokenOf('alice')
  await signInAtVasp(page, 'Alice')
  await page.goto(`${vaspOrigin()}/connections/${idOf(token)}`)
  await expect(section(page)).toContainText('No fault is active.')
  await addFault(page, '429 with Retry-After', '3', '7')
  await expect(active(page)).toContainText('429 with Retry-After: 7 s')
  await expect(active(page)).toContainText('3 calls left')
  await expectNoFaults(page, NARROWEST)
  const answer = await call(token)
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-sandbox-fault')]).toEqual([
    429,
    '7',
    'http_429',
  ])
  await expect(active(page)).toContainText('2 calls left')
  await section(page).getByRole('button', { name: 'Stop the fault' }).click()
  await expect(section(page)).toContainText('No fault is active.')
  expect((await call(token)).status).toBe(200)
  await page.goto(`${vaspOrigin()}/developers/wire?connection=${idOf(token)}&status=failed`)
  await expect(page.getByRole('region', { name: 'Events' })).toContainText('injected: http_429')
})

test('an invalid value is explained next to its field, and what was typed is kept', async ({ page }) => {
  const token = await tokenOf('yuki')
  await signInAtVasp(page, 'Yuki')
  await page.goto(`${vaspOrigin()}/connections/${idOf(token)}`)
  await addFault(page, 'Delay', '101', '9')
  await expect(section(page).getByRole('alert')).toContainText('Enter a whole number from 1 to 100.')
  await expect(section(page).getByLabel('Calls')).toHaveValue('101')
  await expect(section(page).getByLabel('Fault', { exact: true })).toHaveValue('delay')
  await addFault(page, '500 INTERNAL', '1', '9')
  await expect(section(page).getByRole('alert')).toContainText('Leave this empty.')
  await expectNoFaults(page)
})

test('with the fault “closed connection”, the client gets no response', async ({ page }) => {
  const token = await tokenOf('bob')
  await signInAtVasp(page, 'Bob')
  await page.goto(`${vaspOrigin()}/connections/${idOf(token)}`)
  await addFault(page, 'Connection closed without a response')
  await expect(active(page)).toHaveCount(1)
  await expect(call(token)).rejects.toThrow('fetch failed')
  expect((await call(token)).status).toBe(200)
})

test('a connection is expired after a confirmation, and its page then offers no faults', async ({ page }) => {
  const token = await tokenOf('khalid')
  await signInAtVasp(page, 'Khalid')
  await page.goto(`${vaspOrigin()}/connections`)
  await page.locator(`a[href="/connections/${idOf(token)}"]`).click()
  await section(page).getByRole('link', { name: 'Expire connection' }).click()
  const confirm = page.getByRole('button', { name: 'Expire connection now' })
  await expect(confirm).toBeVisible()
  await expectNoFaults(page)
  await confirm.click()
  await expect(page.getByText('✓ Connection expired.')).toBeVisible()
  await expect(page.getByText('○ Expired')).toBeVisible()
  await expect(section(page)).toHaveCount(0)
  expect((await call(token)).status).toBe(401)
})

test.describe('Without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the owner adds and stops a fault', async ({ page }) => {
    const token = await tokenOf('alice')
    await signInAtVasp(page, 'Alice')
    await page.goto(`${vaspOrigin()}/connections/${idOf(token)}`)
    await addFault(page, '403 RESTRICTED', '2')
    await expect(page.getByText('✓ Fault added.')).toBeVisible()
    expect((await call(token)).status).toBe(403)
    await page.reload()
    await expect(active(page)).toContainText('1 call left')
    await section(page).getByRole('button', { name: 'Stop the fault' }).click()
    await expect(page.getByText('✓ Fault stopped.')).toBeVisible()
    expect((await call(token)).status).toBe(200)
  })
})

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name))

test('the production build has the injector in a separate file, which the browser never receives', () => {
  const withText = (folder: string, text: string): string[] =>
    files(folder).filter((file) => readFileSync(file, 'utf8').includes(text))
  const injector = withText('.next/server', 'X-Sandbox-Fault')
  expect(injector.length).toBeGreaterThan(0)
  expect(withText('.next/static', 'X-Sandbox-Fault')).toEqual([])
  // The files that every start loads.
  const started = withText('.next/server', 'JWT_PUBLIC_KEY is not set')
  expect(started.length).toBeGreaterThan(0)
  expect(injector.filter((file) => started.includes(file))).toEqual([])
})
