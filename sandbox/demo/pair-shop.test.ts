import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { mayReplace, pairShop } from './pair-shop'

describe('the pairing of the demo’s shop', () => {
  it.each([
    ['there is none', { connected: false, relay: null, problem: null }, true],
    ['it was revoked', { connected: true, relay: 'wss://relay.example', problem: 'UNAUTHORIZED' }, true],
    ['the demo moved to other ports', { connected: true, relay: 'ws://localhost:7447', problem: 'RELAY_DOWN' }, true],
    ['the user’s own wallet is down', { connected: true, relay: 'wss://relay.example', problem: 'NO_ANSWER' }, false],
  ])('is replaced or kept as expected when %s', (_, state, replaced) => {
    expect(mayReplace(state)).toBe(replaced)
  })

  it('fails with a message that names the site that does not answer', async () => {
    const shop = createServer((_, response) => response.end('{"connected":false,"relay":null,"problem":null}'))
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const away = 'http://127.0.0.1:9'
    const places = { vaspOrigin: away, instance: 'northbank', gatewayRoot: away, password: 'sandbox' }
    const shopOrigin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
    await expect(pairShop({ ...places, shopOrigin })).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:9 does not answer \(.+\)$/,
    )
    shop.close()
  })

  it('fails with the reason that the gateway shows, such as a user with too many connections', async () => {
    const pages = new Map([
      ['/-/own-wallet', '{"connected":false,"relay":null,"problem":null}'],
      ['/api/auth/csrf', '{"csrfToken":"x"}'],
      ['/merchant/connect', '<a class="button main" href="/approval">'],
      ['/approval', '<input name="ask" value="1">'],
      ['/apps/new', '<p role="alert">answered 429: {&quot;error&quot;:&quot;Revoke some at /connections&quot;}.</p>'],
    ])
    const site = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost')
      if (pathname === '/api/auth/callback/credentials') response.setHeader('Set-Cookie', 'northbank.session=1')
      response
        .writeHead(pathname === '/apps/new' ? 502 : 200)
        .end(pages.get(pathname)?.replace('/approval', `${origin}/approval`))
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const places = { vaspOrigin: origin, gatewayRoot: origin, shopOrigin: origin }
    await expect(pairShop({ ...places, instance: 'northbank', password: 'sandbox' })).rejects.toThrow(
      `${origin}/apps/new answered 502: answered 429: {"error":"Revoke some at /connections"}.`,
    )
    site.close()
  })
})
