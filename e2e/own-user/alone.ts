import { expect } from 'playwright/test'
import { test } from '../../examples/test-your-app/tests/own-user'

// Two tests in two workers. Each sees its own user with the opening balance, regardless of the other.
for (const worker of ['first', 'second'])
  test(`the ${worker} worker has its own user`, async ({ page, user, request }) => {
    const origin = new URL(user.loginUrl).origin
    await expect(page.getByText(user.address)).toBeVisible()
    await page.goto(`${origin}/wallets/USD`)
    await expect(page.locator('[data-live^="USD "]')).toHaveText(/1,000\.00/)
    await page.getByRole('button', { name: 'Add test money' }).click()
    await expect(page.locator('[data-live^="USD "]')).toHaveText(/1,100\.00/)
    await page.goto(`${origin}/wallets/receive?tab=invoice`)
    await page.getByLabel('Memo').fill(user.username)
    await page.getByRole('button', { name: 'Create invoice' }).click()
    await expect(page.getByRole('heading', { name: user.username })).toBeVisible()
    await page.goto(`${origin}/invoices`)
    await expect(page.getByRole('link', { name: /-/ }).filter({ hasText: /^[a-z]+-[a-z]+/ })).toHaveText([
      user.username,
    ])
    const reset = await request.post(`${origin}/sandbox/users/${user.username}/reset`, {
      data: {},
      headers: { 'X-Manage-Token': user.manageToken },
    })
    expect(reset.status()).toBe(204)
    await page.goto(`${origin}/wallets/USD`)
    await expect(page.locator('[data-live^="USD "]')).toHaveText(/1,000\.00/)
  })
