import { chromium, type Page } from 'playwright/test'
import { STORY, takePicture, walkToStory, walkTour } from '../e2e/support/pictures'
import { ensureBuild } from '../sandbox/demo/build'
import { holderOf } from '../sandbox/shared/ports'
import { pairStackShop, startStack, type Ports, type Stack } from '../test/stack/stack'
import { findBrowser } from './browser'

// Follows the tour of the README in a real browser, on the demo's own ports, and saves a screenshot and the texts of each
// step in docs/images, and those of a payment on the Wire. Data and keys are created for this run.

/** High enough for the buttons of the approval page. */
const SIZE = { width: 1280, height: 968 }
/** The story alone. */
const STORY_SIZE = { width: 1280, height: 550 }
const PORTS = { vasp: 3000, gateway: 8080, relay: 7447, shop: 3200 }
const SOUTHBANK = { vasp: 3001, gateway: 8081 }

for (const port of [...Object.values(PORTS), ...Object.values(SOUTHBANK)]) {
  // If another program used these ports, the film would show that program.
  const holder = holderOf(port)
  if (holder === undefined) continue
  console.error(`Port ${port} is taken by ${holder}. The film shows the demo's own addresses: stop the demo first.`)
  process.exit(1)
}
await ensureBuild(console.log)
const browser = await chromium.launch({
  executablePath: findBrowser(console.log),
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
})
try {
  await film(PORTS, async (page, stack) => {
    await pairStackShop(stack)
    await walkTour(page, stack, async (name) => console.log(await takePicture(page, name)))
  })
  // The tour has one VASP.
  await film({ ...PORTS, southbank: SOUTHBANK }, async (page, stack) => {
    await walkToStory(page, stack)
    await page.setViewportSize(STORY_SIZE)
    await page.locator('main details').evaluate((story) => window.scrollBy(0, story.getBoundingClientRect().top - 16))
    console.log(await takePicture(page, STORY))
  })
} finally {
  await browser.close()
}

async function film(ports: Ports, walk: (page: Page, stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startStack({}, 'server.js', ports)
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' })
    await walk(await context.newPage(), stack)
    await context.close()
  } finally {
    await stack.stop()
  }
}
