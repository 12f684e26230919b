import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, gatewayOrigin, test } from '../support/fixtures'
import { MEASURED, measured } from '../support/measured'
import { nwcClient } from '../../test/gateway/gateway'
import type { Browser } from 'playwright/test'

const FLOOD = 400
/** When the gateway processed calls in order of arrival, a call took 60 % of the flood. */
const MAX_MS = 1_000

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

test(
  'A flood on one connection stops no other connection, and each call of the flood gets an answer',
  { tag: MEASURED },
  async ({ browser }) => {
    const loud = await pairingOf(browser, 'Alice')
    const quiet = await nwcClient(await pairingOf(browser, 'Bob'))
    const flooded = promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      'e2e/support/nwc-flood.ts',
      loud,
      String(FLOOD),
    ])
    const waits: number[] = []
    const ended = { yes: false }
    void flooded.finally(() => (ended.yes = true))
    while (!ended.yes) {
      const before = performance.now()
      expect(await quiet.call('get_balance')).toHaveProperty('result')
      waits.push(Math.round(performance.now() - before))
    }
    const flood = JSON.parse((await flooded).stdout) as string[]
    quiet.close()
    const count = (code: string): number => flood.filter((each) => each === code).length
    expect(count('answered') + count('RATE_LIMITED')).toBe(FLOOD)
    measured('A call beside a flood on another connection, longest', Math.max(...waits), MAX_MS)
  },
)
