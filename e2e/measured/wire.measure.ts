import type { Page } from 'playwright/test'
import { startStack, type Stack } from '../../test/stack/stack'
import { expect, signInAtVasp, test } from '../support/fixtures'
import { MEASURED, measured } from '../support/measured'

// A long list of events on a slow machine: scrolling, a new event and opening an entry stay smooth.
let stack: Stack
test.beforeAll(async () => {
  stack = await startStack({ RATE_LIMITS: 'off' })
})
test.afterAll(() => stack.stop())

const ROWS = 1_000
const AT_ONCE = 10
const CPU_SLOWDOWN = 4
const MAX_TASK_MS = 200

async function refuseLogin(host: string): Promise<void> {
  const redirectUri = encodeURIComponent(`https://${host}/auth`)
  const answer = await fetch(`${stack.vaspOrigin}/connect?redirect_uri=${redirectUri}`, { redirect: 'manual' })
  expect(answer.status).toBe(400)
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  /** CPU time of the thread in microseconds. It includes the simulated slowdown and excludes other programs on this machine. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** The longest task of the page's main thread while `work` runs, in milliseconds of CPU time. */
async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('the page has no browser')
  await browser.startTracing(page, {
    categories: ['__metadata', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  await work()
  await page.waitForTimeout(500)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const mains = new Set(
    traceEvents.flatMap(({ name, pid, tid, args }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  )
  const tasks = traceEvents.flatMap(({ name, pid, tid, tdur = 0 }) =>
    name === 'RunTask' && mains.has(`${pid} ${tid}`) ? [tdur / 1_000] : [],
  )
  expect(tasks.length).toBeGreaterThan(0)
  return Math.round(Math.max(...tasks))
}

test('The Wire with 1,000 rows has no long task at a quarter of the CPU', { tag: MEASURED }, async ({ page }) => {
  await signInAtVasp(page, 'Alice', stack.vaspOrigin)
  await page.goto(`${stack.vaspOrigin}/developers/wire?show=login&status=failed`)
  // By selector: a search by role through 1,000 rows is itself a long task.
  const rows = page.locator('main section ol > li')
  await refuseLogin('first.example')
  await expect(rows).toHaveCount(1)
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })

  const arriving = await longestTaskMs(page, async () => {
    for (let sent = 1; sent < ROWS; sent += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, ROWS - sent) }, () => refuseLogin('many.example')))
    await expect(rows).toHaveCount(ROWS)
  })
  const oneMore = await longestTaskMs(page, async () => {
    await refuseLogin('last.example')
    await expect(rows.first()).toContainText('last.example')
  })
  const scrolling = await longestTaskMs(page, async () => {
    await page.mouse.move(400, 400)
    for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 700)
    await page.waitForTimeout(500)
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(5_000)
  })
  const opening = await longestTaskMs(page, async () => {
    await rows.nth(500).locator('a').click()
    await expect(page).toHaveTitle(/^login refused 400/)
  })
  for (const [what, ms] of Object.entries({ arriving, oneMore, scrolling, opening }))
    measured(`The Wire with 1,000 rows, longest task: ${what}`, ms, MAX_TASK_MS)
})
