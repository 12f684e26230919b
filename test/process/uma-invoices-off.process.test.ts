import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../sandbox/shared/fetch-token'
import { startStack, userOf, type Stack } from '../stack/stack'

const UUID = '6f1ed5e4-6d9c-4cf0-9f3c-0f5f0d0f4f10'
const FORMS = ['/requests/decline', '/wallets/receive/uma', '/wallets/send/uma']

let stack: Stack
let Cookie: string
beforeAll(async () => {
  stack = await startStack({ UMA_INVOICES: 'off' }, 'server.js', { alone: true })
  Cookie = await signIn(userOf(stack))
})
afterAll(() => stack?.stop())

const get = (path: string, headers: Record<string, string> = { Cookie }): Promise<Response> =>
  fetch(stack.vaspOrigin + path, { headers, redirect: 'manual' })
const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(stack.vaspOrigin + path, { method: 'POST', body, headers, redirect: 'manual' })

it('a server with UMA_INVOICES=off has no pages, forms and addresses of UMA invoices', async () => {
  const page = await get('/wallets')
  expect(page.status).toBe(200)
  const html = await page.text()
  expect(html).toContain('href="/wallets/receive"')
  expect(html).not.toContain('href="/requests"')
  for (const path of ['/requests', `/invoices/uma/${UUID}`, `/invoices/uma/${UUID}/state`, '/unknown'])
    expect([path, (await get(path)).status]).toEqual([path, 404])
  const headers = { Cookie, Origin: stack.vaspOrigin, 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const path of FORMS) {
    expect([path, (await post(path, 'form_user=alice', headers)).status]).toEqual([path, 404])
    // Nor does a client without a session learn that the form exists.
    const { Cookie: _, ...signedOut } = headers
    expect([path, (await post(path, 'form_user=alice', signedOut)).status]).toEqual([path, 404])
  }
  const unknown = await (await post('/uma/nothing', '{}')).json()
  for (const path of ['/uma/request', `/uma/pay/alice/invoice/${UUID}`]) {
    const answer = await post(path, '{}')
    expect([path, answer.status, await answer.json()]).toEqual([path, 404, unknown])
  }
  const discovery = await (await get('/.well-known/uma-configuration', {})).json()
  expect(discovery).toMatchObject({ uma_major_versions: [1, 0] })
  expect(discovery).not.toHaveProperty('uma_request_endpoint')
  expect((await get('/.well-known/lnurlp/alice', {})).status).toBe(200)
})
