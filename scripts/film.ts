import { chromium } from 'playwright/test'
import { takePicture, walkTour } from '../e2e/support/pictures'
import { ensureBuild } from '../sandbox/demo/build'
import { holderOf } from '../sandbox/shared/ports'
import { pairStackShop, startStack } from '../test/stack/stack'
import { findBrowser } from './browser'

// Follows the tour of the README in a real browser, on the demo's own ports, and saves a screenshot and the texts of each
// step in docs/images. Data and keys are created for this run.

/** High enough for the buttons of the approval page. */
const SIZE = { width: 1280, height: 968 }
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
  const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' })
  const page = await context.newPage()
  await walkTour(page, stack, async (name) => console.log(await takePicture(page, name)))
} finally {
  await browser.close()
  await stack.stop()
}
