import { ERROR_CODES } from 'uma-auth-vasp'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { startStack, type Stack } from '../../test/stack/stack'
import { expect, signInAtVasp, test } from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'
import { startWalk } from '../support/walk'

// A VASP of its own, whose users have had an example month.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack({ SANDBOX_EXAMPLE_MONTH: 'on' }, 'server.js', { alone: true })
})
test.afterAll(() => stack.stop())

test('A wallet user sends, converts, receives, finds a payment, exports it and revokes an app, in few clicks', async ({
  page,
}) => {
  const { vaspOrigin } = stack
  await fetchToken({
    vaspOrigin,
    gatewayRootUrl: stack.gatewayOrigin,
    instance: 'northbank',
    username: 'alice',
    password: 'sandbox',
    permissions: ['get_info'],
  })
  await signInAtVasp(page, 'Alice', vaspOrigin)
  const { press, clicks, pages } = startWalk(page)
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Send' }))
  await page.getByLabel('Address or invoice').fill(`$bob@${new URL(vaspOrigin).host}`)
  await press(button('Continue'))
  await page.getByLabel('Amount', { exact: true }).fill('500')
  await press(button('Get a quote'))
  await press(button(/^Pay /))
  await expect(page.getByText('✓ Paid')).toBeVisible()
  expect(clicks(), 'to send').toBe(4)

  await press(link('Wallets'))
  await press(page.getByRole('link', { name: 'Statement and conversion of USD' }))
  await page.getByLabel('Amount in USD').fill('10')
  await press(button('Continue'))
  await press(button('Convert 10.00 USD'))
  await expect(page.getByText('10.00 USD gave 9.20 EUR at 1 EUR = 1.08696 USD.')).toBeVisible()
  expect(clicks(), 'to convert').toBe(4)

  await press(link('Receive'))
  await press(link('Invoice'))
  await page.getByLabel('Amount (optional)').fill('3')
  await page.getByLabel('Memo').fill('By walking')
  await press(button('Create invoice'))
  await press(button(/^Pay it as /))
  await expect(page.getByText('✓ Paid: +3.00 USD in your wallet')).toBeVisible()
  expect(clicks(), 'to receive').toBe(4)

  await press(link('Activity'))
  await press(page.getByText('Filter', { exact: true }).first())
  await page.getByLabel('Text').fill('rent')
  await press(button('Filter'))
  await expect(page.getByRole('row').filter({ hasText: 'Rent' })).toHaveCount(1)
  expect(clicks(), 'to find a payment of last month').toBe(3)

  const downloading = page.waitForEvent('download')
  await press(link('CSV'))
  expect((await downloading).suggestedFilename()).toBe('activity-alice.csv')
  expect(clicks(), 'to export it').toBe(1)

  await press(link('Apps'))
  await press(page.getByRole('listitem').getByRole('link', { name: /^Revoke / }))
  await press(button(/^Revoke connection /))
  await expect(page.getByText('✓ Revoked.')).toBeVisible()
  expect(clicks(), 'to revoke an app').toBe(3)

  // The page after each of 17 links and forms, and a redirect after some of the forms.
  expect(pages()).toBeLessThanOrEqual(26)
})

test('An operator’s developer sets up a gateway, and finds why a log-in and a call are refused, in few clicks', async ({
  page,
  context,
}) => {
  const { vaspOrigin } = stack
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInAtVasp(page, 'Bob', vaspOrigin)
  const { press, clicks, pages } = startWalk(page)
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  /** Events are stored within 100 ms. */
  const stored = (code: string) =>
    expect.poll(async () => (await context.request.get(`${vaspOrigin}/developers`)).text()).toContain(code)
  const latest = (code: string) =>
    page.getByRole('region', { name: 'Errors' }).getByRole('row').filter({ hasText: code }).getByRole('link').last()

  await press(link('Developers'))
  await press(link('Gateway kit and doctor'))
  await press(page.locator('summary', { hasText: 'Environment variables' }))
  await press(page.getByRole('button', { name: 'Copy' }).nth(1))
  await expect(page.getByText('✓ Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    `UMA_VASP_LOGIN_URL='${vaspOrigin}/connect'`,
  )
  expect(clicks(), 'to set up a gateway').toBe(4)

  const redirectUri = encodeURIComponent('https://own-gateway.example/auth')
  const login = await fetch(`${vaspOrigin}/connect?redirect_uri=${redirectUri}`, { redirect: 'manual' })
  expect(login.status).toBe(400)
  await stored('login refused 400')
  await press(link('Developers'))
  await press(latest('login refused 400'))
  await expect(page.getByText('The login was refused because the origins differ.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Origins' })).toContainText('https://own-gateway.example')
  expect(clicks(), 'to find a refused log-in').toBe(2)

  const refused = await fetch(`${vaspOrigin}/umanwc/v1/balance`, { headers: { Authorization: 'Bearer no.real.token' } })
  expect(refused.status).toBe(401)
  await stored('UNAUTHORIZED')
  await press(link('Developers'))
  await press(latest('UNAUTHORIZED'))
  const failed = page.getByRole('region', { name: 'Checks' }).getByRole('listitem').filter({ hasText: '× failed' })
  await expect(failed).toContainText('The header does not hold one token of the form that this server issues.')
  expect(clicks(), 'to find a failed check').toBe(2)
  expect(pages(), 'page loads').toBeLessThanOrEqual(6)
})

test('An app’s developer pairs an app with a user of its own, gets the ten errors and finds them, in few clicks', async ({
  page,
  context,
}) => {
  const { vaspOrigin, gatewayOrigin, shopOrigin } = sharedStack()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(vaspOrigin)
  const { press, clicks, pages } = startWalk(page)
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await press(button('Create a temporary user'))
  await expect(page.getByRole('heading', { name: 'Wallets', exact: true })).toBeVisible()
  await page.goto(gatewayOrigin)
  await press(button('Sign in at Northbank'))
  await press(link('Create manual connection'))
  await press(button('Connect'))
  await press(button('Copy'))
  await expect(page.locator('#copied')).not.toBeEmpty()
  const uri = await page.evaluate(() => navigator.clipboard.readText())
  await page.goto(`${shopOrigin}/wallet`)
  await page.getByLabel('Pairing URI').fill(uri)
  await press(button('Connect with this URI'))
  await expect(page.getByText('a pasted pairing URI')).toBeVisible()
  expect(clicks(), 'to create a user and pair an app').toBe(6)

  const answered = (command: string, code: string) => expect(page.locator(`#${command} .answer`)).toContainText(code)
  const paid = { declined: 'PAYMENT_FAILED', nobody: 'NOT_FOUND', blocked: 'RESTRICTED', unreachable: 'OTHER' }
  for (const [recipient, code] of Object.entries(paid)) {
    const step = page.locator('#pay_to_address')
    await step.getByLabel('Address').fill(`$${recipient}@${new URL(vaspOrigin).host}`)
    await step.getByLabel('Amount sent, in smallest units').fill('100')
    await press(step.getByRole('button'))
    await answered('pay_to_address', code)
  }
  expect(clicks(), 'to get four errors from test recipients').toBe(4)

  // The connection's page takes the faults in their order. An app that is refused with 401 connects again, so it is the last.
  const injected = ERROR_CODES.filter((code) => !Object.values(paid).includes(code) && code !== 'UNAUTHORIZED')
  const faults = [...injected, 'UNAUTHORIZED']
  expect(faults).toHaveLength(6)
  await page.goto(`${vaspOrigin}/wallets`)
  await press(link('Apps'))
  await press(page.locator('main a[href^="/connections/"]').first())
  const active = page.getByRole('list', { name: 'Active faults' }).getByRole('listitem')
  for (const [index, code] of faults.entries()) {
    await page.getByLabel('Fault', { exact: true }).selectOption(code)
    await press(button('Add fault'))
    await expect(active).toHaveCount(index + 1)
  }
  await page.goto(`${shopOrigin}/wallet`)
  for (const code of faults) {
    await press(page.locator('#get_balance').getByRole('button'))
    await answered('get_balance', code)
  }
  expect(clicks(), 'to get the other six as faults').toBe(14)

  await page.goto(`${vaspOrigin}/wallets`)
  await press(link('Developers'))
  const errors = page.getByRole('region', { name: 'Errors' })
  for (const code of ERROR_CODES) await expect(errors.getByRole('rowheader', { name: code, exact: true })).toBeVisible()
  await press(errors.getByRole('link', { name: 'QUOTA_EXCEEDED', exact: true }))
  const row = page.getByRole('listitem').filter({ hasText: 'injected: QUOTA_EXCEEDED' })
  await expect(row).toHaveCount(1)
  await press(row.getByRole('link').first())
  await expect(page.getByRole('region', { name: 'Checks' })).toBeVisible()
  expect(clicks(), 'to find one of them, with its checks').toBe(3)
  expect(pages(), 'page loads').toBeLessThanOrEqual(18)
})
