import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright/test'
import { expect } from './fixtures'

/** The page as it stands has no accessibility fault and does not scroll sideways. */
async function expectNoFaultsHere(page: Page): Promise<void> {
  // Colours of the theme before would count as faults of contrast.
  await page.evaluate(() => {
    for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()
  })
  // "Legacy" only means frames of other origins, of which there are none: without it each look opens a page of its own.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    `${page.url()} ${page.viewportSize()?.width} px wide`,
  ).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0)
}

type View = readonly [colorScheme: 'light' | 'dark', width: number]

const DESK_AND_PHONE: readonly View[] = [
  ['light', 1280],
  ['dark', 390],
]

/** Pages are laid out by their styles alone, so one that is open can be looked at in each. */
export const EVERY_VIEW: readonly View[] = [...DESK_AND_PHONE, ['dark', 1280], ['light', 390]]

/** The same on a desk in light and on a phone in dark, or in the views that are named. */
export async function expectNoFaults(page: Page, views = DESK_AND_PHONE): Promise<void> {
  for (const [colorScheme, width] of views) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    await expectNoFaultsHere(page)
  }
}
