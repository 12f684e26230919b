import { npubEncode } from 'nostr-tools/nip19'
import { generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { describe, expect, it } from 'vitest'
import { appKeyOf, atGateway } from './client-id'

const key = getPublicKey(generateSecretKey())
const npub = npubEncode(key)

describe('appKeyOf', () => {
  it.each([`${npub} ws://localhost:7447`, `${key} wss://relay.example`, npub, key])(
    'reads the key of %s',
    (clientId) => {
      expect(appKeyOf(clientId)).toBe(key)
    },
  )

  it.each([
    '',
    'npm run token',
    ` ${key}`,
    key.toUpperCase().padEnd(64, 'A').replaceAll(/\d/g, 'A'),
    `${key}0`,
    npub.slice(0, -1),
    `${npub.slice(0, -1)}${npub.endsWith('q') ? 'p' : 'q'}`,
    npub.replace('npub1', 'nsec1'),
    'npub1'.padEnd(63, 'b'),
  ])('is undefined for %j', (clientId) => {
    expect(appKeyOf(clientId)).toBeUndefined()
  })
})

describe('atGateway', () => {
  const gateway = new URL('https://gateway.example/nwc/')

  it('names the app by its key, below the root of the gateway', () => {
    expect(atGateway(gateway, `${npub} wss://relay.example`)).toBe(`https://gateway.example/nwc/?connection=${key}`)
  })

  it.each([null, 'npm run token'])('is the start page of the gateway for %j', (clientId) => {
    expect(atGateway(gateway, clientId)).toBe('https://gateway.example/nwc/')
  })
})
