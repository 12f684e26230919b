import { describe, expect, it } from 'vitest'
import { ALL_COMMANDS, readForm } from './commands'
import { readDiscovery } from './discovery'
import { budgetText, budgetWords, dollarsText, msatsText } from './money'
import { parsePairingUri } from './pairing-uri'
import { ShopError } from './problem'
import { headersText, redact } from './redact'
import { loadShopSettings } from './settings'
import { parseUmaAddress } from './uma-address'

describe('a UMA address', () => {
  it.each([
    ['$alice@localhost:3000', 'http://localhost:3000'],
    [' Alice@LOCALHOST:3000 ', 'http://localhost:3000'],
    ['$alice@localhost', 'https://localhost'],
    ['$alice@127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['$alice@vasp.example', 'https://vasp.example'],
    ['$alice@vasp.example:8443', 'https://vasp.example:8443'],
  ])('%s leads to %s', (text, origin) => {
    expect(parseUmaAddress(text)).toMatchObject({ origin, text: expect.stringMatching(/^\$alice@/) as unknown })
  })

  it.each([
    '',
    'alice',
    '$alice@',
    '@localhost',
    '$a b@localhost',
    '$alice@localhost:3000/path',
    '$alice@evil.example@localhost:3000',
    '$alice@10.0.0.1',
    '$alice@[fd00::1]',
    '$alice@localhost:99999',
    '$alice@local host',
    '$alice@localhost?x',
  ])('refuses %j', (text) => {
    expect(parseUmaAddress(text)).toBeUndefined()
  })
})

describe('a discovery document', () => {
  const local = { origin: 'http://localhost:3000' }
  const good = {
    authorization_endpoint: 'http://localhost:8080/oauth/auth',
    token_endpoint: 'http://localhost:8080/oauth/token',
    revocation_endpoint: 'http://localhost:8080/oauth/revoke',
    code_challenge_methods_supported: ['S256'],
  }

  it('contains the endpoints, and the address as the issuer', () => {
    expect(readDiscovery(local, { ...good, name: 'Northbank' })).toEqual({ issuer: local.origin, ...good })
  })

  it('may lack a revocation endpoint and a list of methods', () => {
    const { revocation_endpoint: _, code_challenge_methods_supported: __, ...rest } = good
    expect(readDiscovery(local, rest)).not.toHaveProperty('revocation_endpoint')
  })

  it.each([
    ['no object', null],
    ['a list', []],
    ['no token_endpoint', { ...good, token_endpoint: undefined }],
    ['an endpoint that is not an address', { ...good, token_endpoint: 'soon' }],
    ['an endpoint with a javascript: address', { ...good, authorization_endpoint: 'javascript:alert(1)' }],
    ['http to another machine', { ...good, token_endpoint: 'http://gateway.example/token' }],
    ['only plain PKCE', { ...good, code_challenge_methods_supported: ['plain'] }],
  ])('is refused with %s', (_, document) => {
    expect(() => readDiscovery(local, document)).toThrow(ShopError)
  })

  it('of another domain may not name this machine over http', () => {
    const remote = { origin: 'https://vasp.example' }
    expect(() => readDiscovery(remote, good)).toThrow(/authorization_endpoint/)
    expect(() => readDiscovery(remote, good, 'other.example')).toThrow(/authorization_endpoint/)
  })

  it('of the VASP that the shop runs in front of may name an http gateway on this machine, but on no other machine', () => {
    const remote = { origin: 'https://vasp.example:8443' }
    expect(readDiscovery(remote, good, 'vasp.example:8443')).toMatchObject({ token_endpoint: good.token_endpoint })
    const elsewhere = { ...good, token_endpoint: 'http://gateway.example/oauth/token' }
    expect(() => readDiscovery(remote, elsewhere, 'vasp.example:8443')).toThrow(/token_endpoint/)
  })
})

describe('a pairing URI', () => {
  const wallet = 'ab'.repeat(32)
  const secret = 'cd'.repeat(32)
  const expected = { wallet, secret, relay: 'ws://localhost:7447', address: '$alice@localhost:3000' }

  it.each([
    ['raw', `relay=ws://localhost:7447&lud16=$alice@localhost:3000&secret=${secret}`],
    ['encoded', `relay=ws%3A%2F%2Flocalhost%3A7447&secret=${secret}&lud16=%24alice%40localhost%3A3000`],
    ['in another order', `secret=${secret.toUpperCase()}&relay=ws://localhost:7447/&lud16=$alice@localhost:3000`],
  ])('is read when it is %s', (_, query) => {
    expect(parsePairingUri(`  nostr+walletconnect://${wallet}?${query}\n`)).toEqual(expected)
    expect(parsePairingUri(`nostr+walletconnect:${wallet}?${query}`)).toEqual(expected)
  })

  it.each([
    ['raw', '$carol+shop@localhost:3000'],
    ['encoded', '%24carol%2Bshop%40localhost%3A3000'],
    ['half encoded', '$carol%2Bshop@localhost:3000'],
  ])('keeps a plus sign of its address when it is %s', (_, lud16) => {
    const uri = `nostr+walletconnect://${wallet}?relay=ws://localhost:7447&lud16=${lud16}&secret=${secret}`
    expect(parsePairingUri(uri).address).toBe('$carol+shop@localhost:3000')
  })

  it.each([
    ['secret', `secret=${'ef'.repeat(32)}`],
    ['lud16', 'lud16=$mallory@localhost:3000'],
  ])('is refused with two values of %s, and is read when both are the same', (name, other) => {
    const uri = `nostr+walletconnect://${wallet}?relay=ws://localhost:7447&lud16=$alice@localhost:3000&secret=${secret}`
    expect(() => parsePairingUri(`${uri}&${other}`)).toThrow(`The part ${name}= is given twice`)
    expect(parsePairingUri(`${uri}&secret=${secret}&lud16=%24alice@localhost:3000`)).toEqual(expected)
  })

  it('keeps every usable relay in its order, once, and needs one', () => {
    const relays = ['ws://r.example', 'wss://a.example', 'wss%3A%2F%2Fb.example%2Fx', 'wss://a.example/', 'none']
    const uri = `nostr+walletconnect://${wallet}?${relays.map((each) => `relay=${each}`).join('&')}&secret=${secret}`
    expect(parsePairingUri(uri)).toMatchObject({ relay: 'wss://a.example', otherRelays: ['wss://b.example/x'] })
  })

  it('may name the shop’s own relay without encryption', () => {
    const uri = `nostr+walletconnect://${wallet}?relay=ws://relay.test&secret=${secret}`
    expect(parsePairingUri(uri, 'ws://relay.test').relay).toBe('ws://relay.test')
    expect(parsePairingUri(uri, 'ws://Relay.test/').relay).toBe('ws://relay.test')
    expect(() => parsePairingUri(uri, 'ws://other.test')).toThrow('without encryption')
  })

  it.each([
    ['nothing', ''],
    ['another scheme', `https://${wallet}?relay=wss://r.example&secret=${secret}`],
    ['a short key', `nostr+walletconnect://abc?relay=wss://r.example&secret=${secret}`],
    ['no secret', `nostr+walletconnect://${wallet}?relay=wss://r.example`],
    ['a short secret', `nostr+walletconnect://${wallet}?relay=wss://r.example&secret=cdcd`],
    ['no relay', `nostr+walletconnect://${wallet}?secret=${secret}`],
    [
      'an unencrypted relay on another machine',
      `nostr+walletconnect://${wallet}?relay=ws://r.example&secret=${secret}`,
    ],
    ['a relay with an https address', `nostr+walletconnect://${wallet}?relay=https://r.example&secret=${secret}`],
    [
      'a URI that is too long',
      `nostr+walletconnect://${wallet}?relay=wss://r.example&secret=${secret}&x=${'y'.repeat(3_000)}`,
    ],
  ])('is refused with %s, and the secret is not repeated', (_, uri) => {
    expect(() => parsePairingUri(uri)).toThrow(/^(?!.*cdcd)/)
  })
})

describe('money', () => {
  it.each([
    ['50.00', 'USD', 'monthly', '5000.USD/monthly'],
    ['50', 'USD', 'none', '5000.USD'],
    ['1.5', 'KWD', 'daily', '1500.KWD/daily'],
    ['1000', 'SAT', 'weekly', '1000.SAT/weekly'],
    ['1,240.50', 'USD', 'none', '124050.USD'],
    ['1,500', 'SAT', 'none', '1500.SAT'],
  ])('%s %s %s becomes the budget %s', (amount, currency, period, text) => {
    expect(budgetText(amount, currency, period)).toBe(text)
  })

  it.each([
    ['1.5', 'JPY', 'none'],
    ['1', 'toString', 'none'],
    ['1', 'USD', 'hourly'],
  ])('%s %s %s is not a budget', (amount, currency, period) => {
    expect(budgetText(amount, currency, period)).toBeUndefined()
  })

  it('is written with the decimals of its currency', () => {
    expect(msatsText(250_000_000n)).toBe('250,000 SAT')
    expect(msatsText(1_001n)).toBe('1.001 SAT')
    expect(budgetWords('5000.USD/monthly')).toBe('50.00 USD monthly')
    expect(budgetWords('1000')).toBe('1,000 SAT in total')
    expect(budgetWords('1000/daily')).toBe('1,000 SAT daily')
    expect(budgetWords(null)).toBe('no limit')
    expect(budgetWords('<b>')).toBe('<b>')
    expect(dollarsText(180_000)).toBe('about 180.00 USD')
    expect(dollarsText(1)).toBe('about 0.01 USD')
  })
})

describe('text for the page', () => {
  const secret = 'cd'.repeat(32)
  it.each([
    [`{"access_token": "${secret}"}`, '{"access_token": "cdcdcd…(cut)"}'],
    [
      `code=${secret}\ncode_verifier=${secret}\ngrant_type=x`,
      'code=cdcdcd…(cut)\ncode_verifier=cdcdcd…(cut)\ngrant_type=x',
    ],
    [`GET /callback?code=${secret}&state=${secret}`, 'GET /callback?code=cdcdcd…(cut)&state=cdcdcd…(cut)'],
    [`nostr+walletconnect://abcdef012345?relay=x&secret=${secret}`, 'nostr+walletconnect://abcdef01…(cut)'],
    ['{"code": "NOT_FOUND", "state": "settled"}', '{"code": "NOT_FOUND", "state": "settled"}'],
  ])('has its secrets shortened: %s', (text, shown) => {
    expect(redact(text)).toBe(shown)
    expect(redact(redact(text))).toBe(shown)
  })

  it('has the headers of a call, with the secret ones shortened', () => {
    const headers = new Headers({
      Accept: 'application/json',
      Authorization: `Bearer ${secret}`,
      Cookie: `session=${secret}; other=${secret}`,
    })
    headers.append('Set-Cookie', `id=${secret}; Path=/`)
    headers.append('Set-Cookie', 'x=1')
    const text = headersText(headers)
    expect(text).toBe(
      'accept: application/json\nauthorization: Bearer cdcdcd…(cut)\ncookie: sessio…(cut)\nset-cookie: id=cdc…(cut)\nset-cookie: …(cut)\n',
    )
    expect(redact(text)).toBe(text)
  })
})

describe('the command forms', () => {
  it('reject an empty field and an invalid number', () => {
    const make = ALL_COMMANDS.find(({ name }) => name === 'make_invoice')
    if (make === undefined) throw new Error('make_invoice is missing')
    expect(readForm(make, new URLSearchParams('amount=5&description='))).toHaveProperty('refusal')
    expect(readForm(make, new URLSearchParams('amount=1e9&description=x'))).toHaveProperty('refusal')
    expect(readForm(make, new URLSearchParams('amount=5&description=x'))).toEqual({
      params: { amount: 5_000, description: 'x' },
    })
  })

  it('cover all twelve commands', () => {
    expect(ALL_COMMANDS.map(({ name }) => name).sort()).toHaveLength(12)
  })
})

describe('settings', () => {
  it('have defaults, and name an invalid variable', () => {
    expect(loadShopSettings({})).toMatchObject({
      APP_PORT: 3200,
      RELAY: 'ws://localhost:7447',
      APP_DATA_DIR: '.data/app',
    })
    expect(() => loadShopSettings({ RELAY: 'http://x' })).toThrow(/^RELAY /)
  })
})
