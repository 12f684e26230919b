import type { Locator, Page } from 'playwright/test'

/** Counts what a person does on the way to an aim. */
export interface Walk {
  /** Presses one link, button or tab. */
  readonly press: (target: Locator) => Promise<void>
  /** The presses since the last call. */
  readonly clicks: () => number
  /** The pages that have opened since the start, with those that the router opens. */
  readonly pages: () => number
}

export function startWalk(page: Page): Walk {
  let clicks = 0
  let pages = 0
  let address = page.url()
  page.on('framenavigated', (frame) => {
    // The router names the address of a new document once more.
    if (frame !== page.mainFrame() || frame.url() === address) return
    address = frame.url()
    pages += 1
  })
  return {
    async press(target) {
      clicks += 1
      await target.click()
    },
    clicks() {
      const counted = clicks
      clicks = 0
      return counted
    },
    pages: () => pages,
  }
}
