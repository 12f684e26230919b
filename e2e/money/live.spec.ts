import type { Page } from 'playwright/test'
import { median, quantile } from '../../bench/statistics'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { startStack, type Stack } from '../../test/stack/stack'
import { expectNoFaults } from '../support/faults'
import { expect, openMenu, signInAtVasp, test } from '../support/fixtures'
import { isBench, MEASURED, measured } from '../support/measured'

// Live pages: an action of one user appears on the open pages of another.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack()
})
test.afterAll(() => stack.stop())

/** More payments give a steadier figure. */
const PAYMENTS = isBench ? 100 : 5
const MAX_MEDIAN_MS = 300
const MAX_P95_MS = 500
/** The page, the page that it prefetches, and its new events. */
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

/** Sets a mark that is lost when the page reloads. */
async function markAsOpen(page: Page): Promise<void> {
  await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''))
}

const openMark = (page: Page) => page.locator('body[data-not-reloaded]')

/** Alice pays Bob 1 USD in SAT. */
async function alicePaysBob(
  tokens: { readonly alice: string; readonly bob: string },
  description?: string,
): Promise<void> {
  const { invoice } = await call(tokens.bob, '/invoice', { amount: 1_000_000, description })
  await call(tokens.alice, '/payments/bolt11', { invoice })
}

test(
  'The wallets of Bob change when Alice pays him, without a reload and with at most three requests for an event',
  { tag: MEASURED },
  async ({ page: bob }) => {
    const { vaspOrigin } = stack
    const [alices, bobs] = await Promise.all([tokenOf('alice'), tokenOf('bob')])
    await signInAtVasp(bob, 'Bob', vaspOrigin)
    await expect(bob.locator('[data-live^="SAT "]')).toBeVisible()
    await markAsOpen(bob)
    const requests: string[] = []
    bob.on('request', (request) => void requests.push(new URL(request.url()).pathname))

    const delaysMs: number[] = []
    for (let count = 0; count < PAYMENTS; count++) {
      const { invoice } = await call(bobs, '/invoice', { amount: 1_000_000 })
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
    await expect(openMark(bob)).toBeVisible()
    measured(`From a payment's answer to the updated page, median of ${PAYMENTS}`, median(delaysMs), MAX_MEDIAN_MS)
    measured(`From a payment's answer to the updated page, p95 of ${PAYMENTS}`, quantile(delaysMs, 0.95), MAX_P95_MS)
    expect(requests.length / (2 * PAYMENTS)).toBeLessThanOrEqual(MAX_REQUESTS_PER_EVENT)
  },
)

for (const path of ['/', '/wallets', '/wallets/SAT', '/activity'])
  test(`A payment to an open page costs one request: ${path}`, async ({ page: bob }) => {
    const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob') }
    const payments = ['first', 'second', 'third'].map((each) => `The ${each} tea on ${path}`)
    const invoices = new Map<string, unknown>()
    // Before the page opens, because the page shows events of invoices too.
    for (const description of payments)
      invoices.set(description, (await call(tokens.bob, '/invoice', { amount: 1_000_000, description })).invoice)
    await signInAtVasp(bob, 'Bob', stack.vaspOrigin)
    await bob.goto(`${stack.vaspOrigin}${path}`)
    await markAsOpen(bob)
    const requests: string[] = []
    bob.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname !== '/events') requests.push(pathname)
    })
    for (const [index, description] of payments.entries()) {
      await call(tokens.alice, '/payments/bolt11', { invoice: invoices.get(description) })
      await expect(bob.getByText(description).first()).toBeVisible()
      // Longer than the page gathers events: a second request would begin in this time.
      await bob.waitForTimeout(500)
      expect(requests, description).toEqual(Array.from({ length: index + 1 }, () => path))
    }
    await expect(openMark(bob)).toBeVisible()
  })

test('A payment that arrives while a page is being opened is on the page', async ({
  page: bob,
  otherPage: visible,
}) => {
  const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob') }
  const description = 'Tea during a click'
  await signInAtVasp(bob, 'Bob', stack.vaspOrigin)
  await signInAtVasp(visible, 'Bob', stack.vaspOrigin)
  // This page does not follow payments.
  await bob.goto(`${stack.vaspOrigin}/wallets/send`)
  await visible.goto(`${stack.vaspOrigin}/activity`)
  const { invoice } = await call(tokens.bob, '/invoice', { amount: 1_000_000, description })
  let deliver: () => void = () => undefined
  const paid = new Promise<void>((resolve) => (deliver = resolve))
  let rendered: () => void = () => undefined
  const isRendered = new Promise<void>((resolve) => (rendered = resolve))
  await bob.route(
    (url) => url.pathname === '/activity',
    async (route) => {
      const response = await route.fetch()
      rendered()
      await paid
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await markAsOpen(bob)
  await bob.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await isRendered
  await call(tokens.alice, '/payments/bolt11', { invoice })
  await expect(visible.getByText(description).first()).toBeVisible()
  deliver()
  await expect(bob.getByRole('heading', { name: 'Activity' })).toBeVisible()
  await expect(bob.getByText(description).first()).toBeVisible()
  await expect(openMark(bob)).toBeVisible()
})

test('A second tab of the same browser shows events without opening its own stream', async ({ context, page }) => {
  const token = await tokenOf('alice')
  const streams: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/events') streams.push(request.url())
  })
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await expect.poll(() => streams.length).toBe(1)
  const second = await context.newPage()
  await second.goto(`${stack.vaspOrigin}/invoices`)
  await markAsOpen(second)
  const description = 'Tea in a second tab'
  await call(token, '/invoice', { amount: 1_000_000, description })
  await expect(second.getByText(description)).toBeVisible()
  await expect(openMark(second)).toHaveCount(1)
  expect(streams).toHaveLength(1)
})

test('Statement, invoices, an invoice and connections change in tabs that are open at the same time', async ({
  context,
  page,
}) => {
  const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob') }
  await signInAtVasp(page, 'Bob', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/invoices`)
  const open = async (path: string): Promise<Page> => {
    const tab = await context.newPage()
    await tab.goto(`${stack.vaspOrigin}${path}`)
    await markAsOpen(tab)
    return tab
  }
  await markAsOpen(page)
  const [statement, connections, paid] = [
    await open('/wallets/SAT'),
    await open('/connections'),
    await open('/invoices?tab=paid'),
  ]
  const description = 'Tea in five tabs'
  const { invoice, payment_hash: hash } = await call(tokens.bob, '/invoice', { amount: 1_000_000, description })
  await expect(page.getByText(description)).toBeVisible()
  const one = await open(`/invoices/${String(hash)}`)
  await call(tokens.alice, '/payments/bolt11', { invoice })
  await expect(one.getByText('✓ Paid')).toBeVisible()
  await expect(page.getByText(description)).toBeHidden()
  await expect(paid.getByText(description)).toBeVisible()
  await expect(statement.getByText(description)).toBeVisible()
  const entries = connections.locator('main li[data-live]')
  const before = await entries.count()
  await tokenOf('bob')
  await expect(entries).toHaveCount(before + 1)
  for (const tab of [page, statement, connections, paid, one]) await expect(openMark(tab)).toBeVisible()
})

for (const { motion, easing } of [
  { motion: 'no-preference', easing: 'ease-in' },
  { motion: 'reduce', easing: 'steps(1)' },
] as const)
  test(`A change is highlighted, and nothing else is, with reduced motion "${motion}"`, async ({ page: bob }) => {
    const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob') }
    await bob.emulateMedia({ reducedMotion: motion })
    await signInAtVasp(bob, 'Bob', stack.vaspOrigin)
    await expect(bob.locator('[data-live^="SAT "]')).toBeVisible()
    const figures = await bob
      .locator('[data-live]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-live') ?? ''))
    await alicePaysBob(tokens)
    const highlighted = () =>
      bob.evaluate(() =>
        document.getAnimations().flatMap(({ effect }) => {
          const { target } = effect as KeyframeEffect
          const state = target?.getAttribute('data-live')
          return state === null || state === undefined ? [] : [{ state, easing: effect?.getTiming().easing }]
        }),
      )
    await expect
      .poll(async () => (await highlighted()).map(({ state }) => state.split(' ')[0]), { intervals: [50] })
      .toContain('SAT')
    for (const each of await highlighted()) {
      expect(each.easing).toBe(easing)
      expect(figures).not.toContain(each.state)
    }
    await expect.poll(highlighted).toEqual([])
  })

test('The stream closes while the tab is hidden, and the page then shows what happened', async ({
  page: bob,
  otherPage: visible,
}) => {
  const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob') }
  const isStream = (url: string): boolean => new URL(url).pathname === '/events'
  let [opened, closed] = [0, 0]
  bob.on('request', (request) => void (isStream(request.url()) && (opened += 1)))
  bob.on('requestfailed', (request) => void (isStream(request.url()) && (closed += 1)))
  await signInAtVasp(bob, 'Bob', stack.vaspOrigin)
  await signInAtVasp(visible, 'Bob', stack.vaspOrigin)
  await expect.poll(() => opened).toBe(1)
  const show = (state: DocumentVisibilityState) =>
    bob.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  await expect.poll(() => closed).toBe(1)
  const figure = bob.locator('[data-live^="SAT "]')
  const before = (await figure.getAttribute('data-live')) ?? ''
  await alicePaysBob(tokens)
  await expect(visible.locator('[data-live^="SAT "]')).not.toHaveAttribute('data-live', before)
  await expect(figure).toHaveAttribute('data-live', before)
  expect(opened).toBe(1)
  await show('visible')
  await expect(figure).not.toHaveAttribute('data-live', before)
  expect(opened).toBe(2)
})

test('Events of another user change nothing, and reach no stream', async ({ page, otherPage: bob }) => {
  await signInAtVasp(bob, 'Bob', stack.vaspOrigin)
  await expect(bob.locator('[data-live^="SAT "]')).toBeVisible()
  const requests: string[] = []
  bob.on('request', (request) => void requests.push(request.url()))
  // Everything that reaches another stream of Bob up to his own next event.
  const read = bob.evaluate(async () => {
    const stream = (await fetch('/events')).body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('POST /invoice')) text += (await stream?.read())?.value ?? ''
    return text
  })
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  await page.getByRole('button', { name: 'Add test money to USD' }).click()
  await expect(page.getByText('100.00 USD of test money added.')).toBeVisible()
  expect(requests.filter((url) => new URL(url).pathname === '/wallets')).toEqual([])
  await call(await tokenOf('bob'), '/invoice', { amount: 1_000_000 })
  expect(await read).not.toContain('test money')
})

test('Markup in a text from another user is shown as text', async ({ page: bob }) => {
  const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
  const dialogs: string[] = []
  bob.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const tokens = { alice: await tokenOf('alice'), bob: await tokenOf('bob') }
  await signInAtVasp(bob, 'Bob', stack.vaspOrigin)
  await bob.goto(`${stack.vaspOrigin}/wallets/SAT`)
  await alicePaysBob(tokens, markup)
  await expect(bob.getByText(markup)).toBeVisible()
  await bob.goto(`${stack.vaspOrigin}/developers/wire`)
  const events = bob.getByRole('region', { name: 'Events' })
  await expect(events.getByRole('listitem').first()).toBeVisible()
  const redirectUri = encodeURIComponent(`https://text.example/"><img src=x onerror=alert(3)>`)
  await fetch(`${stack.vaspOrigin}/connect?redirect_uri=${redirectUri}`, { redirect: 'manual' })
  await expect(events.getByText('text.example').first()).toBeVisible()
  const story = events.locator('details', { hasText: 'POST /invoice' }).first()
  await story.locator('summary').click()
  await story.getByRole('link', { name: 'POST /invoice' }).click()
  await expect(bob.getByRole('main')).toContainText('onerror=alert(1)')
  expect(await bob.locator('main script, main img[onerror]').count()).toBe(0)
  expect(dialogs).toEqual([])
})

test('An event while the server is down loses neither the page nor what was typed', async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  await markAsOpen(page)
  const amount = page.getByRole('region', { name: 'Convert' }).getByRole('textbox').first()
  await amount.fill('12.34')
  const figure = page.locator('[data-live^="USD "]').first()
  const before = (await figure.getAttribute('data-live')) ?? ''
  // When the server is killed, the page has already requested its new content.
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/wallets/USD')
  await page.route(/_rsc=/, async (route) => {
    await ended
    await route.continue()
  })
  const other = await page.context().newPage()
  await other.goto(`${stack.vaspOrigin}/wallets/USD`)
  await other.getByRole('button', { name: 'Add test money to USD' }).click()
  await asked
  await other.close()
  await stack.kill('VASP')
  const failed = page.waitForEvent('requestfailed', (request) => new URL(request.url()).searchParams.has('_rsc'))
  end()
  await failed
  await expect(openMark(page)).toBeVisible()
  await expect(amount).toHaveValue('12.34')
  await stack.revive('VASP')
  await expect(figure).not.toHaveAttribute('data-live', before)
  await expect(openMark(page)).toBeVisible()
  await expect(amount).toHaveValue('12.34')
})

test('A phone shows the sections, the pages of the open one, and the balance first, below a notice', async ({
  page,
}) => {
  // The visible height on a phone whose browser shows its bars.
  const height = 664
  await page.setViewportSize({ width: 390, height })
  await tokenOf('alice')
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await expect(page.getByText('New connection:')).toBeVisible()
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await expect(navigation.locator('[aria-current]')).toHaveText(['Wallet', 'Wallets'])
  // A line for the bank and the user, one for the sections, and one for the pages.
  expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThan(200)
  const balance = await page.locator('[data-live^="USD "]').first().boundingBox()
  expect((balance?.y ?? height) + (balance?.height ?? 0)).toBeLessThan(height)
  await expectNoFaults(page, [['light', 390]])
  await openMenu(page)
  await expectNoFaults(page, [['dark', 390]])
  await page.keyboard.press('Escape')
  await navigation.getByRole('link', { name: 'Apps' }).click()
  await expect(page.getByRole('heading', { name: 'Connections' })).toBeVisible()
})
