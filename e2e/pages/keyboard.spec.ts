import type { Page } from 'playwright/test'
import { expectNoFaults, NARROWEST } from '../support/faults'
import { expect, makeInvoice, openMenu, signInAtVasp, test, vaspOrigin } from '../support/fixtures'

const field = (page: Page) => page.getByRole('searchbox')

/** Opens a page and waits for its scripts, which do not hold up the page. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${vaspOrigin()}${path}`, { waitUntil: 'load' })
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

test('keys open the search with its field in focus, the wallets, the activity, the developers’ pages and the list of keys', async ({
  page,
}) => {
  await signInAtVasp(page, 'Alice')
  await open(page, '/connections')
  await press(page, '/')
  await expect(page).toHaveURL(/\/search#q$/)
  await expect(field(page)).toBeFocused()
  await open(page, '/connections')
  for (const [keys, heading] of [
    [['g', 'a'], 'Activity'],
    [['g', 'd'], 'Developers'],
    [['g', 'w'], 'Wallets'],
    [['?'], 'Search'],
  ] as const) {
    await press(page, ...keys)
    await expect(page.getByRole('heading', { name: heading, exact: true, level: 1 })).toBeVisible()
    await page.waitForLoadState('load')
  }
  await expect(page.getByRole('heading', { name: 'Keys', exact: true })).toBeFocused()
  await expect(page.getByRole('definition')).toHaveText([
    'Search',
    'Wallets',
    'Activity',
    'Developers',
    'This list of keys',
  ])
  await press(page, '/')
  await expect(field(page)).toBeFocused()
  await openMenu(page)
  await expect(page.getByRole('banner').getByRole('link', { name: 'Search' })).toHaveAttribute('aria-keyshortcuts', '/')
})

test('keys do nothing in a field, in a list, in editable text, and with a modifier', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await open(page, '/search')
  await field(page).focus()
  await press(page, '/', 'g', 'w', '?')
  await expect(field(page)).toHaveValue('/gw?')
  await open(page, '/wallets/receive?tab=invoice')
  await page.getByLabel('Valid for').focus()
  await press(page, 'g', 'a')
  await page.evaluate(() => {
    const text = document.createElement('p')
    text.contentEditable = 'true'
    text.tabIndex = 0
    text.innerHTML = '<b>text</b>'
    document.querySelector('main')?.append(text)
    text.focus()
  })
  await press(page, 'g', 'a', '/')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  for (const modifier of ['Control', 'Alt', 'Meta']) {
    await page.evaluate((held) => {
      for (const key of ['g', 'w', '/', '?'])
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', {
            key,
            bubbles: true,
            [`${held === 'Control' ? 'ctrl' : held.toLowerCase()}Key`]: true,
          }),
        )
    }, modifier)
  }
  await expect(page).toHaveURL(/\/wallets\/receive\?tab=invoice$/)
  await press(page, 'g', 'a')
  await expect(page).toHaveURL(/\/activity$/)
})

test('the settings turn the keys off and on, for this browser', async ({ page }) => {
  await signInAtVasp(page, 'Alice')
  await open(page, '/settings')
  await page.getByRole('button', { name: 'Turn keys off' }).click()
  await expect(page.getByText('Keys are off in this browser.')).toBeVisible()
  await expect(page.locator('[aria-keyshortcuts], [data-keys], script[src="/keys.js"]')).toHaveCount(0)
  await press(page, 'g', 'w', '/', '?')
  await expect(page).toHaveURL(/\/settings\?done=keys$/)
  await expectNoFaults(page, NARROWEST)
  await page.getByRole('button', { name: 'Turn keys on' }).click()
  await expect(page.getByText('Single keys open pages in this browser')).toBeVisible()
  await page.waitForLoadState('load')
  await press(page, 'g', 'w')
  await expect(page).toHaveURL(/\/wallets$/)
})

test('without JavaScript, a pasted address, invoice or hash leads to its page, and the page says what it did not find', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await signInAtVasp(page, 'Alice')
  const invoice = await makeInvoice(page, { amount: '5', memo: 'Searched' })
  const hash = page.url().split('/').at(-1) ?? ''
  const search = async (text: string): Promise<void> => {
    await openMenu(page)
    await page.getByRole('banner').getByRole('link', { name: 'Search' }).click()
    await field(page).fill(text)
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
  }
  for (const text of [invoice, hash]) {
    await search(text)
    await expect(page).toHaveURL(`${vaspOrigin()}/invoices/${hash}`)
  }
  await search('Searched')
  await expect(page).toHaveURL(`${vaspOrigin()}/activity?text=Searched`)
  await search('0'.repeat(64))
  await expect(page.getByRole('alert')).toContainText('You have no payment and no invoice with this payment hash.')
  await expect(field(page)).toHaveValue('0'.repeat(64))
  await context.close()
})

test('the search is free of accessibility faults and fits its width, on a desktop and a phone, light and dark', async ({
  page,
}) => {
  await signInAtVasp(page, 'Alice')
  for (const path of ['/search', `/search?q=${'0'.repeat(64)}`, '/search#keys']) {
    await open(page, path)
    await expectNoFaults(page)
    await expectNoFaults(page, NARROWEST)
  }
})
