import { expect } from 'playwright/test'
import { test } from './wallet'

test('pays an invoice', async ({ wallet }) => {
  const { invoice, payment_hash } = await wallet.makeInvoice({ amount: 100_000 }) // millisatoshis
  await wallet.payInvoice({ invoice })
  await expect.poll(async () => (await wallet.lookupInvoice({ payment_hash })).settled_at).toBeTruthy()
})

test('works again after a failed call', async ({ page, request, user, wallet }) => {
  const sandbox = new URL(user.loginUrl).origin
  await page.goto(`${sandbox}/connections`)
  const link = await page.locator('main a[href^="/connections/"]').first().getAttribute('href')
  const added = await request.post(`${sandbox}/sandbox/faults`, {
    data: { connection: link?.split(/[/?]/)[2], kind: 'RATE_LIMITED' },
    headers: { 'X-Manage-Token': user.manageToken },
  })
  expect(added.status()).toBe(201)
  await expect(wallet.getBalance()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect((await wallet.getBalance()).balance).toBe(100_000) // 1,000.00 USD in cents
})
