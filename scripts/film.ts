import { chromium, type Page } from 'playwright/test'
import { approveForShop, askToConnect, buyFirst } from '../e2e/shop'
import { pairStackShop, startStack } from '../e2e/stack'
import { ensureBuild } from '../sandbox/build'
import { holderOf } from '../sandbox/ports'
import { findBrowser } from './browser'

// Follows the tour of the README in a real browser, on the demo's own ports, and saves a screenshot of each
// step in docs/images. Data and keys are created for this run.
const FOLDER = 'docs/images'
const SIZE = { width: 1280, height: 860 }
const PORTS = { vasp: 3000, gateway: 8080, relay: 7447, shop: 3200 }

for (const port of Object.values(PORTS)) {
  // If another program used these ports, the film would show that program.
  const holder = holderOf(port)
  if (holder === undefined) continue
  console.error(`Port ${port} is taken by ${holder}. The film shows the demo's own addresses: stop the demo first.`)
  process.exit(1)
}
await ensureBuild(console.log)
const stack = await startStack({}, 'server.js', PORTS)
const browser = await chromium.launch({
  executablePath: findBrowser(console.log),
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
})
try {
  await pairStackShop(stack)
  await film(await open())
} finally {
  await browser.close()
  await stack.stop()
}

async function open(): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' })
  return context.newPage()
}

async function film(page: Page): Promise<void> {
  await page.goto(stack.shopOrigin)
  await keep(page, 'shop')
  await askToConnect(page, stack, 'Alice', 'wallet', () => keep(page, 'sign-in'))
  await keep(page, 'approve')
  await approveForShop(page)
  await buyFirst(page, stack)
  await page.getByText('Paid. Thank you').waitFor()
  await keep(page, 'paid')
  const order = page.url()
  await page.getByRole('link', { name: 'This connection at the gateway' }).click()
  await page.getByText('spent of').waitFor()
  await keep(page, 'budget')
  await page.goto(order)
  await page.getByRole('link', { name: /^Statement of/ }).click()
  await page.getByRole('heading', { name: 'Wallets', exact: true }).waitFor()
  await page.goto(`${stack.vaspOrigin}/wallets/USD`)
  await keep(page, 'statement')
}

async function keep(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled' })
  console.log(`${FOLDER}/${name}.png`)
}
