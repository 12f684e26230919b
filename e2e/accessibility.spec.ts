import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { approve, expect, gatewayOrigin, signInAtGateway, test, vaspOrigin } from './fixtures'

const VIEWS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 390 },
] as const

async function expectNoFaults(page: Page, url: string): Promise<void> {
  await page.goto(url)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    url,
  ).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${url} scrolls sideways`).toBeLessThanOrEqual(0)
}

for (const { colorScheme, width } of VIEWS) {
  test.describe(`${colorScheme}, ${width} px wide`, () => {
    test.use({ colorScheme, viewport: { width, height: 844 } })
    test('every page is free of accessibility faults and fits its width', async ({ page }) => {
      test.setTimeout(90_000)
      await expectNoFaults(page, vaspOrigin())
      await expectNoFaults(page, gatewayOrigin())
      await expectNoFaults(page, `${gatewayOrigin()}/login?return=/`)
      await expectNoFaults(page, `${vaspOrigin()}/login?error=CredentialsSignin`)
      await expectNoFaults(page, `${vaspOrigin()}/no-such-page`)
      await signInAtGateway(page, 'Alice')
      await expectNoFaults(page, `${gatewayOrigin()}/connection/new`)
      await approve(page, 'A shop with a name that is long enough to need more than one line on a phone')
      await expectNoFaults(page, page.url())
      await expectNoFaults(page, `${vaspOrigin()}/connections?done=renamed`)
      for (const question of ['Rename', 'Revoke']) {
        const link = page.getByRole('link', { name: new RegExp(`^${question} Connection of`) }).first()
        await expectNoFaults(page, `${vaspOrigin()}${(await link.getAttribute('href')) ?? ''}`)
        await page.goto(`${vaspOrigin()}/connections`)
      }
      await expectNoFaults(page, `${vaspOrigin()}/connections?revoke-today`)
      await expectNoFaults(page, vaspOrigin())
    })
  })
}
