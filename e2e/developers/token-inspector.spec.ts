import type { Page } from 'playwright/test'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, gatewayOrigin, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

const PAGE = (): string => `${vaspOrigin()}/developers/token`

async function openInspector(page: Page, user: string): Promise<void> {
  await signInAtVasp(page, user)
  await page.goto(PAGE())
}

async function createToken(page: Page, kind: string): Promise<string> {
  await page.getByLabel('Kind').selectOption({ label: kind })
  await page.getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByRole('heading', { name: 'Verdict' })).toBeVisible()
  return page.locator('code', { hasText: /^ey[\w-]+\.ey[\w-]+\.[\w-]+$/ }).innerText()
}

const status = async (path: string, token: string): Promise<number> =>
  (await fetch(`${vaspOrigin()}/umanwc/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })).status

const step = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Verdict' }).getByRole('listitem').filter({ hasText: name })

test('a working token is shown once, works, and appears as a connection that the user can revoke', async ({ page }) => {
  await openInspector(page, 'Alice')
  const token = await createToken(page, 'Working, for 24 hours')
  await expect(page.getByText('✓ The token is valid.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeFocused()
  expect(page.url()).not.toContain(token.slice(0, 20))
  expect(await status('/balance', token)).toBe(200)
  // The user has made it, so it is no news.
  const fresh = await page.evaluate(async () => (await fetch('/connections/fresh')).json())
  expect((fresh as { connections: { name: string }[] }).connections.map(({ name }) => name)).not.toContain(
    'made in the inspector',
  )
  // The page renders again to show the notice about another connection, and the token stays.
  await fetchToken({
    vaspOrigin: vaspOrigin(),
    gatewayRootUrl: gatewayOrigin(),
    instance: 'northbank',
    username: 'alice',
    password: 'sandbox',
    permissions: ['get_info'],
  })
  await expect(page.getByText('New connection:')).toBeVisible()
  await expect(page.getByText(token)).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Token inspector' })).toBeVisible()
  await expect(page.getByText(token)).toHaveCount(0)

  await page.goto(`${vaspOrigin()}/connections`)
  await page.getByRole('link', { name: 'Revoke made in the inspector' }).first().click()
  await page.getByRole('button', { name: 'Revoke connection made in the inspector' }).first().click()
  await expect(page.getByText('Revoked. The app loses access')).toBeVisible()
  expect(await status('/balance', token)).toBe(401)
  await page.goto(PAGE())
  await page.getByLabel('Token', { exact: true }).fill(`Bearer ${token}`)
  await page.getByRole('button', { name: 'Inspect token' }).click()
  await expect(page.getByText('× Refused with 401.')).toBeVisible()
  await expect(page.getByText('This connection was revoked.').first()).toBeVisible()
})

test('a token for another VASP fails at the signature, and its audience is wrong too', async ({ page }) => {
  await openInspector(page, 'Yuki')
  const token = await createToken(page, 'Wrong audience')
  expect(await status('/info', token)).toBe(401)
  await expect(page.getByText('× Fails at: Signature.')).toBeVisible()
  await expect(page.getByText('A later check would fail too: iss, aud.')).toBeVisible()
  await expect(step(page, 'iss, aud')).toContainText('× would also fail')
  await expect(step(page, 'iss, aud')).toContainText('aud: other-vasp.example')
  await expectNoFaults(page, NARROWEST)
  for (const [kind, verdict] of [
    ['Wrong key', '× Fails at: Signature.'],
    ['Wrong algorithm', '× Fails at: Form and header.'],
    ['Expired', '× Fails at: exp.'],
    ['Revoked', '× Refused with 401.'],
  ] as const) {
    expect(await status('/info', await createToken(page, kind)), kind).toBe(401)
    await expect(page.getByText(verdict), kind).toBeVisible()
  }
})

test('for a token of another user, the page shows the claims and nothing about the connection', async ({ page }) => {
  const token = await fetchToken({
    vaspOrigin: vaspOrigin(),
    gatewayRootUrl: gatewayOrigin(),
    instance: 'northbank',
    username: 'bob',
    password: 'sandbox',
    permissions: ['get_info', 'get_balance'],
  })
  await openInspector(page, 'Khalid')
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Inspect token' }).click()
  await expect(page.getByText('This token belongs to another user.').first()).toBeVisible()
  await expect(step(page, 'sub, jti, token_use, scope')).toContainText('sub: bob')
})

test('an error appears next to its field, and the form works with the keyboard', async ({ page }) => {
  await openInspector(page, 'Penny')
  await page.getByLabel('Token', { exact: true }).fill(' x'.repeat(2_000))
  await page.getByRole('button', { name: 'Inspect token' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'longer than' })).toBeVisible()
  await expectNoFaults(page, NARROWEST)
  await page.getByLabel('Token', { exact: true }).focus()
  await page.keyboard.type('a.b.c')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('× Fails at: Form and header.')).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a token is created and read', async ({ page }) => {
    await openInspector(page, 'Bob')
    const token = await createToken(page, 'Working, for 24 hours')
    expect(await status('/info', token)).toBe(200)
    await page.reload()
    await expect(page.getByText(token)).toHaveCount(0)
  })
})
