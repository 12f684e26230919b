import { fetchLoginToken, fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { runUsers } from '../../test/programs/users-command'
import { environmentOf, userOf } from '../../test/stack/stack'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, test } from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'

const PASSWORD = 'a password of erin'

test('a suspended user is refused everywhere immediately, and regains access when resumed', async ({ page }) => {
  const stack = sharedStack()
  const { vaspOrigin, gatewayOrigin } = stack
  const users = async (args: readonly string[], input = ''): Promise<void> => {
    expect(await runUsers(environmentOf(stack), args, input)).toMatchObject({ code: 0, err: '' })
  }
  await users(['add', 'erin', '--name=Erin', '--wallets=SAT:1000'], PASSWORD)
  const erin = { ...userOf(stack, 'erin'), password: PASSWORD }
  const [token, login, Cookie] = [
    await fetchToken({ ...erin, permissions: ['get_balance'] }),
    await fetchLoginToken(erin),
    await signIn(erin),
  ]
  const balance = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` }
    return (await fetch(`${vaspOrigin}/umanwc/v1/balance`, { headers })).status
  }
  const exchange = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${login}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ permissions: ['get_balance'] })
    return (await fetch(`${vaspOrigin}/umanwc/v1/token`, { method: 'POST', headers, body })).status
  }
  const connect = (): Promise<Response> => {
    const redirectUri = encodeURIComponent(`${gatewayOrigin}/auth/vasp_token_callback`)
    const headers = { Cookie, Accept: 'text/html' }
    return fetch(`${vaspOrigin}/connect?redirect_uri=${redirectUri}`, { headers, redirect: 'manual' })
  }
  const invoiceRequest = async (): Promise<number> => (await fetch(`${vaspOrigin}/.well-known/lnurlp/erin`)).status
  expect([await balance(), (await connect()).status, await invoiceRequest()]).toEqual([200, 303, 200])

  await page.context().addCookies(
    Cookie.split('; ').map((cookie) => {
      const [name = '', ...value] = cookie.split('=')
      return { name, value: value.join('='), url: vaspOrigin }
    }),
  )
  await page.goto(`${vaspOrigin}/wallets`)
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()

  await users(['suspend', 'erin'])
  expect([await balance(), await exchange(), await invoiceRequest()]).toEqual([401, 401, 403])
  const refused = await connect()
  expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  expect(await refused.text()).toContain('This account is suspended.')
  const suspended = page.getByText('The operator of this wallet has suspended this user.')
  await page.goto(`${vaspOrigin}/wallets`)
  await expect(suspended).toBeVisible()
  await page.goto(`${vaspOrigin}/login`)
  await expect(suspended).toHaveCount(0)
  await page.getByText('Sign in with name and password').click()
  await page.getByLabel('User name').fill('erin')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(suspended).toBeVisible()
  await expectNoFaults(page, NARROWEST)

  await users(['resume', 'erin'])
  expect([await balance(), await exchange(), await invoiceRequest()]).toEqual([200, 200, 200])
  await page.goto(`${vaspOrigin}/wallets`)
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  await users(['remove', 'erin'])
  expect(await balance()).toBe(401)
})
