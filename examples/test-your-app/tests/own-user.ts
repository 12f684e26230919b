import { test as base } from 'playwright/test'

const sandbox = process.env.SANDBOX_ORIGIN ?? 'http://localhost:3000'

interface OwnUser {
  readonly username: string
  readonly address: string
  readonly password: string
  readonly loginUrl: string
  readonly manageToken: string
  readonly expiresAt: string
}

/** `user` exists for one test only, and `page` is signed in as this user. */
export const test = base.extend<{ user: OwnUser }>({
  user: async ({ page, request }, use) => {
    const created = await request.post(`${sandbox}/sandbox/users`, { data: { currencies: ['USD', 'SAT'] } })
    if (created.status() !== 201) throw new Error(`no user: ${created.status()} ${await created.text()}`)
    const user = (await created.json()) as OwnUser
    await page.goto(user.loginUrl)
    await page.getByRole('button', { name: /^Sign in as / }).click()
    await page.waitForURL('**/wallets')
    await use(user)
    await request.delete(`${sandbox}/sandbox/users/${user.username}`, {
      headers: { 'X-Manage-Token': user.manageToken },
    })
  },
})
