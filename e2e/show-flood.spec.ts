import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, gatewayOrigin, test } from './fixtures'
import { nwcClient } from '../test/gateway'
import type { Browser } from 'playwright/test'

const FLOOD = 400
/**
 * A busy machine slows everything down, so the limit is a share of the duration of the flood. When the gateway processed calls in
 * order of arrival, the share was 60 %.
 */
const MAX_MS = 1_000
const MAX_SHARE = 0.25

/** A manual pairing URI of that user. */
async function pairingOf(browser: Browser, user: string): Promise<string> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${gatewayOrigin()}/login?return=/connection/new`)
  await page.getByRole('button', { name: `Continue as ${user}` }).click()
  await page.getByLabel('Name of the app').fill('Flood')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const uri = await page.locator('#pairing').innerText()
  await context.close()
  return uri
}

test('A flood on one connection delays no other connection for long, and each call of the flood gets an answer', async ({
  browser,
}) => {
  const loud = await pairingOf(browser, 'Alice')
  const quiet = await nwcClient(await pairingOf(browser, 'Bob'))
  const startedAt = performance.now()
  const flooded = promisify(execFile)(process.execPath, ['--import', 'tsx', 'e2e/nwc-flood.ts', loud, String(FLOOD)])
  const waits: number[] = []
  const ended = { yes: false }
  void flooded.finally(() => (ended.yes = true))
  while (!ended.yes) {
    const before = performance.now()
    expect(await quiet.call('get_balance')).toHaveProperty('result')
    waits.push(Math.round(performance.now() - before))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const flood = JSON.parse((await flooded).stdout) as string[]
  quiet.close()
  const count = (code: string): number => flood.filter((each) => each === code).length
  const longest = Math.max(...waits)
  const floodMs = Math.round(performance.now() - startedAt)
  test.info().annotations.push({
    type: 'measured',
    description: `quiet: ${waits.length} calls, the longest ${longest} ms; flood: ${count('answered')} answered and ${count('RATE_LIMITED')} refused in ${floodMs} ms`,
  })
  expect(count('answered') + count('RATE_LIMITED')).toBe(FLOOD)
  expect(longest, test.info().annotations.at(-1)?.description).toBeLessThan(Math.max(MAX_MS, floodMs * MAX_SHARE))
})
