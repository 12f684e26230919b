import { fetchToken } from '../sandbox/fetch-token'
import { expectNoFaults } from './faults'
import { expect, signInAtVasp, test } from './fixtures'
import { startStack, type Stack } from './stack'

// Pages that change by themselves: what one user does shows in the open pages of another.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack.stop())

const PAYMENTS = 20
const MAX_P95_MS = 500
/** The page, the page that it prefetches, and its news. */
const MAX_REQUESTS_PER_EVENT = 3

/** Connects an app of this user. */
function tokenOf(username: string): Promise<string> {
  return fetchToken({
    vaspOrigin: stack.vaspOrigin,
    gatewayRootUrl: stack.gatewayOrigin,
    instance: 'northbank',
    username,
    password: 'sandbox',
    permissions: ['make_invoice', 'pay_invoice'],
  })
}

async function call(token: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${stack.vaspOrigin}/umanwc/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

test('The wallets of Bob change within 500 ms when Alice pays him, without a reload', async ({ page: bob }) => {
  const { vaspOrigin } = stack
  const [alices, bobs] = await Promise.all([tokenOf('alice'), tokenOf('bob')])
  await signInAtVasp(bob, 'Bob', vaspOrigin)
  await expect(bob.locator('[data-live^="SAT "]')).toBeVisible()
  await bob.evaluate(() => document.body.setAttribute('data-not-reloaded', ''))
  const requests: string[] = []
  bob.on('request', (request) => void requests.push(new URL(request.url()).pathname))

  const delaysMs: number[] = []
  for (let count = 0; count < PAYMENTS; count++) {
    const { invoice } = await call(bobs, '/invoice', { amount: 1_000_000 })
    // The page follows the new invoice first.
    await bob.waitForTimeout(400)
    const changedAt = bob.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const figure = document.querySelector('[data-live^="SAT "]')
          const observer = new MutationObserver(() => {
            observer.disconnect()
            resolve(Date.now())
          })
          if (figure !== null) observer.observe(figure, { attributes: true, attributeFilter: ['data-live'] })
        }),
    )
    await bob.evaluate(() => undefined)
    await call(alices, '/payments/bolt11', { invoice })
    const paidAtMs = Date.now()
    delaysMs.push((await changedAt) - paidAtMs)
  }
  await expect(bob.locator('body[data-not-reloaded]')).toBeVisible()
  const sorted = delaysMs.toSorted((a, b) => a - b)
  const [median = 0, p95 = 0] = [sorted[PAYMENTS / 2], sorted[Math.ceil(PAYMENTS * 0.95) - 1]]
  const perEvent = requests.length / (2 * PAYMENTS)
  test.info().annotations.push({
    type: 'measured',
    description: `median ${median} ms, p95 ${p95} ms, ${perEvent} requests for one event`,
  })
  process.stdout.write(`live: median ${median} ms, p95 ${p95} ms, ${perEvent} requests for one event\n`)
  expect(p95).toBeLessThan(MAX_P95_MS)
  expect(perEvent).toBeLessThanOrEqual(MAX_REQUESTS_PER_EVENT)
})

test('A second tab of the same browser shows events without a stream of its own', async ({ context, page }) => {
  const streams: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/events') streams.push(request.url())
  })
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await expect.poll(() => streams.length).toBe(1)
  const second = await context.newPage()
  await second.goto(`${stack.vaspOrigin}/wallets/USD`)
  const topUps = second.getByRole('row').filter({ hasText: '+100.00' })
  const before = await topUps.count()
  await page.getByRole('button', { name: 'Add test money to USD' }).click()
  await expect(page.getByText('100.00 USD of test money added.')).toBeVisible()
  await expect(topUps).toHaveCount(before + 1)
})

test('A phone has at most five items of navigation and "More", and shows a balance first, below a notice', async ({
  page,
}) => {
  // Of a phone with the bars of its browser.
  const height = 664
  await page.setViewportSize({ width: 390, height })
  await tokenOf('alice')
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await expect(page.getByText('New connection:')).toBeVisible()
  const navigation = page.getByRole('navigation', { name: 'Main' })
  expect(await navigation.getByRole('link').count()).toBeLessThanOrEqual(5)
  const balance = await page.locator('[data-live^="USD "]').first().boundingBox()
  expect((balance?.y ?? height) + (balance?.height ?? 0)).toBeLessThan(height)
  await expectNoFaults(page, [['light', 390]])
  await navigation.getByText('More').click()
  await expectNoFaults(page, [['dark', 390]])
  await navigation.getByRole('link', { name: 'Connections' }).click()
  await expect(page.getByRole('heading', { name: 'Connections' })).toBeVisible()
})
