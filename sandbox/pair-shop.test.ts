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
})
