import { chromium, type Page } from 'playwright/test'
import { STORY, takePicture, walkToStory, walkTour } from '../e2e/support/pictures'
import { ensureBuild } from '../sandbox/demo/build'
import { holderOf } from '../sandbox/shared/ports'
import { pairStackShop, startStack, type Ports, type Stack } from '../test/stack/stack'
import { findBrowser } from './browser'

// Follows the tour of the README in a real browser, on the demo's own ports, and saves a screenshot and the texts of each
// step in docs/images, and those of a payment on the Wire. Data and keys are created for this run. With `lnd` the demo is one that
// runs already, `npm run demo -- --lnd --reset`, and the pictures are those of docs/images/lnd.

/** High enough for the buttons of the approval page. */
const SIZE = { width: 1280, height: 968 }
/** The story alone. */
const STORY_SIZE = { width: 1280, height: 550 }
const PORTS = { vasp: 3000, gateway: 8080, relay: 7447, shop: 3200 }
const SOUTHBANK = { vasp: 3001, gateway: 8081 }

const isOnLnd = process.argv.includes('lnd')
if (!isOnLnd) refuseTakenPorts()
const browser = await chromium.launch({
  executablePath: findBrowser(console.log),
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
})
try {
  if (isOnLnd) await filmOnLnd()
  else await filmOnSimulation()
} finally {
  await browser.close()
}

async function film(ports: Ports, walk: (page: Page, stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startStack({}, 'server.js', ports)
  try {
    const page = await newPage()
    await walk(page, stack)
    await page.context().close()
  } finally {
    await stack.stop()
  }
}

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' })
  return context.newPage()
}

async function filmOnSimulation(): Promise<void> {
  await ensureBuild(console.log)
  await film(PORTS, async (page, stack) => {
    await pairStackShop(stack)
    await walkTour(page, stack, async (name) => console.log(await takePicture(page, name)))
  })
  // The tour has one VASP.
  await film({ ...PORTS, southbank: SOUTHBANK }, async (page, stack) => {
    await walkToStory(page, stack)
    await showStory(page)
    console.log(await takePicture(page, STORY))
  })
}

/** The whole tour, and the story of a payment to the second VASP, which goes through the channel. */
async function filmOnLnd(): Promise<void> {
  const at = (port: number): string => `http://localhost:${port}`
  const places = { vaspOrigin: at(PORTS.vasp), gatewayOrigin: at(PORTS.gateway), shopOrigin: at(PORTS.shop) }
  const page = await newPage()
  const take = async (of: Page, name: string): Promise<void> => console.log(await takePicture(of, `lnd/${name}`))
  // What real nodes change: the invoice, the node's channels, and the way of a payment.
  await walkTour(page, places, async (name) => (name === 'paid' ? take(page, name) : undefined))
  await page.goto(`${places.vaspOrigin}/developers/wire`)
  await take(page, 'node')
  await page.context().close()
  const second = await newPage()
  await walkToStory(second, places)
  await showStory(second)
  await take(second, STORY)
}

async function showStory(page: Page): Promise<void> {
  await page.setViewportSize(STORY_SIZE)
  await page.locator('main details').evaluate((story) => window.scrollBy(0, story.getBoundingClientRect().top - 16))
}

function refuseTakenPorts(): void {
  for (const port of [...Object.values(PORTS), ...Object.values(SOUTHBANK)]) {
    // If another program used these ports, the film would show that program.
    const holder = holderOf(port)
    if (holder === undefined) continue
    console.error(`Port ${port} is taken by ${holder}. The film shows the demo's own addresses: stop the demo first.`)
    process.exit(1)
  }
}
