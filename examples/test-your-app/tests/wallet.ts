import { NWCClient } from '@getalby/sdk/nwc'
import { test as base } from './own-user'

const gateway = process.env.GATEWAY_ORIGIN ?? 'http://localhost:8080'

/** `wallet` is the wallet of `user`, connected over NWC. */
export const test = base.extend<{ wallet: NWCClient }>({
  wallet: async ({ page, user }, use) => {
    await page.goto(`${gateway}/login?return=/connection/new`)
    await page.getByRole('heading', { name: `Connect ${user.address}` }).waitFor()
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    const wallet = new NWCClient({ nostrWalletConnectUrl: await page.locator('#pairing').innerText() })
    await use(wallet)
    wallet.close()
  },
})
