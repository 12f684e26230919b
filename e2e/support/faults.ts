import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright/test'
import { expect } from './fixtures'

/** Asserts that the current page has no accessibility fault and does not scroll sideways. */
async function expectNoFaultsHere(page: Page): Promise<void> {
  // A page that is still arriving has no title yet: its second half brings it.
  await page.waitForLoadState()
  await expect(page).toHaveTitle(/\S/)
  // Colours of the previous theme would count as contrast faults.
  await page.evaluate(() => {
    for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()
  })
  // "Legacy" only affects frames of other origins, of which there are none. Without it each check opens another page.
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

/**
 * The other two pairs of theme and width, for pages that are looked at most closely: colours follow the theme alone, and the layout
 * the width alone. 320 px is the narrowest (WCAG 1.4.10).
 */
export const NARROWEST: readonly View[] = [
  ['dark', 1280],
  ['light', 320],
]

/**
 * Checks the page on a desktop in light and on a phone in dark, or in the given views. After a click that opens a page, first
 * expect something that only that page shows: the address may still be the old one.
 */
export async function expectNoFaults(page: Page, views = DESK_AND_PHONE): Promise<void> {
  for (const [colorScheme, width] of views) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    await expectNoFaultsHere(page)
  }
}
