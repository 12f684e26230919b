import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from 'playwright/test'
import { approveForShop, askToConnect, buyFirst, connectShop, type Places } from './shop'

const FOLDER = 'docs/images'

/** The pictures of README and docs, each with the file that keeps the texts of its page. */
const pictureOf = (name: string): string => join(FOLDER, `${name}.png`)
const textsOf = (name: string): string => join(FOLDER, `${name}.txt`)

/** Follows the README's tour as Alice, and calls `atPage` at each page that has a picture; ends at the budget. */
export async function walkTour(page: Page, places: Places, atPage: (name: string) => Promise<void>): Promise<void> {
  const at = async (name: string): Promise<void> => {
    await page.waitForLoadState()
    await atPage(name)
  }
  await page.goto(places.shopOrigin)
  await at('shop')
  await askToConnect(page, places, 'Alice', 'wallet', () => at('sign-in'))
  await at('approve')
  await approveForShop(page)
  await buyFirst(page, places)
  await expect(page.getByText('Paid. Thank you')).toBeVisible()
  await at('paid')
  const order = page.url()
  await page.getByRole('link', { name: /^Statement of/ }).click()
  await page.getByRole('link', { name: 'Statement and conversion of USD' }).click()
  await expect(page.getByRole('heading', { name: 'Statement', exact: true })).toBeVisible()
  await at('statement')
  await page.goto(order)
  await page.getByRole('link', { name: 'This connection at the gateway' }).click()
  await expect(page.getByText('spent of')).toBeVisible()
  await at('budget')
}

/** The picture of a payment on the Wire, which the tour does not have: it needs a second VASP. */
export const STORY = 'wire'

/** Pays the second VASP's Bob from the shop as Alice; ends on the Wire, with the story of this payment alone. */
export async function walkToStory(page: Page, places: Places): Promise<void> {
  await connectShop(page, places, 'Alice')
  await page.goto(`${places.shopOrigin}/wallet`)
  const pay = page.locator('#pay_to_address')
  await pay.getByRole('button').click()
  await expect(pay.getByText('Answered')).toBeVisible()
  await page.goto(`${places.vaspOrigin}/developers/wire`)
  const story = page.locator('main details', { hasText: 'POST /payments/lud16' }).first()
  await story.locator('summary').click()
  await story.getByRole('link', { name: 'This payment only' }).click()
  await expect(page.getByText('Only the events of one payment or request.')).toBeVisible()
  await expect(story.getByRole('listitem').filter({ hasText: 'UMA callback received' })).toBeVisible()
}

/** Saves a picture of the page, and beside it the page's texts. */
export async function takePicture(page: Page, name: string): Promise<string> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  await page.screenshot({ path: pictureOf(name), animations: 'disabled' })
  writeFileSync(textsOf(name), `${(await readTexts(page)).join('\n')}\n`)
  return pictureOf(name)
}

/** Fails at the end of the test if the page has other texts than at the time of its picture. */
export async function comparePicture(page: Page, name: string): Promise<void> {
  const saved = existsSync(textsOf(name)) ? readFileSync(textsOf(name), 'utf8').trimEnd().split('\n') : []
  const message = `${pictureOf(name)} does not show the page of today: run npm run demo:film`
  expect.soft(await readTexts(page), message).toEqual(saved)
}

/** The names of the saved pictures, sorted. */
export function savedPictures(): string[] {
  const pictures = readdirSync(FOLDER).filter((file) => file.endsWith('.png'))
  return pictures.map((file) => file.slice(0, -'.png'.length)).toSorted()
}

/**
 * The headings, links and buttons of a page, in their order. Two things differ between runs: ports, which become PORT, and
 * the rows of tables and the entries of lists of calls (`details`), which are left out.
 */
async function readTexts(page: Page): Promise<string[]> {
  const shown = page.getByRole('heading').or(page.getByRole('link')).or(page.getByRole('button'))
  const texts = await shown.evaluateAll((elements) =>
    (elements as HTMLElement[])
      .filter((element) => element.closest('tbody, details') === null)
      .map((element) => {
        const kind = { A: 'link', BUTTON: 'button' }[element.tagName] ?? 'heading'
        return `${kind}: ${element.innerText.replaceAll(/\s+/g, ' ').trim()}`
      }),
  )
  return texts.map((text) => text.replaceAll(/(?<=localhost:)\d+/g, 'PORT'))
}
