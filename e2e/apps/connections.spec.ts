import { fetchLoginToken } from '../../sandbox/shared/fetch-token'
import { expect, gatewayOrigin, test, vaspOrigin } from '../support/fixtures'

interface OwnUser {
  readonly username: string
  readonly password: string
  readonly loginUrl: string
}

/** A new user of the sandbox with this many connections. */
async function userWithConnections(count: number): Promise<OwnUser> {
  const created = await fetch(`${vaspOrigin()}/sandbox/users`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  })
  const user = (await created.json()) as OwnUser
  // One login creates up to twenty connections.
  for (let made = 0; made < count; made += 20) {
    const login = await fetchLoginToken({
      vaspOrigin: vaspOrigin(),
      gatewayRootUrl: gatewayOrigin(),
      instance: 'northbank',
      ...user,
    })
    for (let index = made; index < Math.min(count, made + 20); index += 1) {
      const exchange = await fetch(`${vaspOrigin()}/umanwc/v1/token`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${login}`, 'Content-Type': 'application/json' },
        body: '{"permissions":["get_balance"]}',
      })
      expect(exchange.status).toBe(200)
    }
  }
  return user
}

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('connections are on several pages, and one on the last page can be revoked', async ({ page }) => {
      const user = await userWithConnections(41)
      await page.goto(user.loginUrl)
      await page.getByRole('button', { name: /^Sign in as / }).click()
      await page.goto(`${vaspOrigin()}/connections`)
      const entries = page.locator('main li[data-live]')
      await expect(entries).toHaveCount(20)
      const newest = await entries.first().getAttribute('id')
      await page.getByRole('link', { name: 'Older' }).click()
      await expect(entries.first()).not.toHaveAttribute('id', newest ?? '')
      await expect(entries).toHaveCount(20)
      await page.getByRole('link', { name: 'Older' }).click()
      await expect(entries).toHaveCount(1)
      await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0)

      const name = await entries.getByRole('heading').innerText()
      await entries.getByRole('link', { name: /^Revoke / }).click()
      await expect(page.getByRole('region', { name: `Revoke ${name}?` })).toBeFocused()
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      await expect(page.getByText('See your balance').first()).toBeVisible()
      await expect(entries).toHaveCount(0)
      await page.getByRole('button', { name: /^Revoke connection / }).click()
      await expect(page.getByText('Revoked. The app loses access on its next call.')).toBeVisible()
      await expect(entries.first()).toHaveAttribute('id', newest ?? '')
      await page.getByRole('link', { name: 'Ended' }).click()
      await expect(entries).toHaveCount(1)
      await expect(page.getByText('× Revoked')).toBeVisible()
    })

    test('revoking unused connections asks first, says how many, and takes another period', async ({ page }) => {
      const user = await userWithConnections(1)
      await page.goto(user.loginUrl)
      await page.getByRole('button', { name: /^Sign in as / }).click()
      await page.goto(`${vaspOrigin()}/connections`)
      await page.getByRole('link', { name: 'Revoke unused' }).click()
      await expect(page.getByText('No connection has been unused for 7 days.')).toBeVisible()
      await page.getByRole('link', { name: '1 hour' }).click()
      await expect(page.getByRole('region', { name: 'No connection has been unused for 1 hour.' })).toBeFocused()
      await expect(page.getByRole('button', { name: /unused/ })).toHaveCount(0)
      await page.getByRole('link', { name: 'Cancel' }).click()
      await expect(page.getByText('No connection has been unused')).toHaveCount(0)
      await expect(page.getByText('● Active')).toBeVisible()
    })
  })
