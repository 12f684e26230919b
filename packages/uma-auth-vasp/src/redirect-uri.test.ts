import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { REDIRECT_CASES, ROOT } from '../test/redirect-uris'
import { checkRedirectUri, returnAddress } from './redirect-uri'

const root = new URL(ROOT)
const check = (raw: string, gatewayRoot = root) => checkRedirectUri(raw, gatewayRoot, 'localhost:3000')

describe('checkRedirectUri', () => {
  it.each(REDIRECT_CASES)('$why: $redirectUri', ({ redirectUri, goesTo }) => {
    expect(check(redirectUri)?.url.href).toBe(goesTo)
  })

  it.each([
    ['https://gateway.example/nwc', true],
    ['https://gateway.example/nwc/oauth/auth', true],
    ['https://gateway.example/nwc/a/../b', true],
    ['https://gateway.example/nwcevil', false],
    ['https://gateway.example/nwc/../admin', false],
    ['https://gateway.example/nwc/%2e%2e/admin', false],
    ['https://gateway.example/', false],
  ])('compares the path with that of the root by whole segments: %s', (redirectUri, accepted) => {
    for (const path of ['/nwc', '/nwc/']) expect(check(redirectUri, new URL(path, ROOT)) !== undefined).toBe(accepted)
  })

  it.each([
    ['bob', 'bob'],
    ['$bob', 'bob'],
    ['$Bob@localhost:3000', 'bob'],
    ['bob@LOCALHOST:3000', 'bob'],
    ['$bob@evil.example', undefined],
    ['$bob@localhost', undefined],
    ['$bob@localhost:3000.evil.example', undefined],
    ['$bob@evil.example@localhost:3000', undefined],
    ['$bob@', undefined],
    ['<script>', undefined],
    ['', undefined],
  ])('reads the requested user from uma_username=%s', (value, asksFor) => {
    const uri = `${ROOT}/oauth/auth?uma_username=${encodeURIComponent(value)}`
    expect(check(uri)?.asksFor).toBe(asksFor)
  })

  it('accepts the same addresses, and no others, when the gateway encoded them twice', () => {
    for (const { redirectUri, goesTo } of REDIRECT_CASES.filter((each) => /^https?:\/\//i.test(each.redirectUri))) {
      if (redirectUri.length > 2_000) continue
      expect(check(encodeURIComponent(redirectUri))?.url.href, redirectUri).toBe(goesTo)
    }
  })

  it('accepts at most 5,000 characters after normalization, so that an accepted address stays accepted', () => {
    const longest = `${ROOT}/${'x'.repeat(4_999 - ROOT.length)}`
    expect(check(longest)?.url.href).toBe(longest)
    expect(check(`${longest}x`)).toBeUndefined()
    // A quotation mark becomes three characters.
    expect(check(`${ROOT}/?${'"'.repeat(2_000)}`)).toBeUndefined()
  })

  it('returns only addresses of the gateway, for any input', () => {
    const piece = fc.constantFrom(
      'https://',
      'gateway.example',
      '@',
      '/',
      '\\',
      '.',
      ':443',
      '%2f',
      '%40',
      '#',
      '?',
      'evil.com',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(piece, fc.string())).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (redirectUri) => {
        for (const given of [redirectUri, `${ROOT}${redirectUri}`, encodeURIComponent(`${ROOT}${redirectUri}`)]) {
          const target = check(given)?.url
          expect([undefined, ROOT]).toContain(target?.origin)
          expect(target?.username ?? '').toBe('')
          expect(target?.hash ?? '').toBe('')
        }
      }),
      { numRuns: 500 },
    )
  })

  it('reads the app’s host and client id, without control or direction-changing characters', () => {
    const uri = `${ROOT}/oauth/auth?client_id=npub1%00%E2%80%AEx&redirect_uri=${encodeURIComponent('https://shop.example/cb')}`
    expect(check(uri)).toMatchObject({ appHost: 'shop.example', clientId: 'npub1x' })
  })

  it('names no host of an app with two addresses, because the gateway may return to the other one', () => {
    const both = ['https://shop.example/cb', 'https://evil.example/cb'].map(encodeURIComponent).join('&redirect_uri=')
    expect(check(`${ROOT}/oauth/auth?redirect_uri=${both}`)).toMatchObject({ appHost: undefined })
  })
})

describe('returnAddress', () => {
  const currency = { code: 'PHP', symbol: '₱"', name: 'Philippine Peso', decimals: 2 }

  it('sets exactly one token and one currency, for any query', () => {
    const to = new URL(returnAddress(new URL(`${ROOT}/cb?token=attacker&currency=x&%74oken=again`), 'ours', currency))
    expect(to.searchParams.getAll('token')).toEqual(['ours'])
    expect(to.searchParams.getAll('currency')).toHaveLength(1)
    expect(JSON.parse(to.searchParams.get('currency') ?? '')).toEqual(currency)
  })

  it('keeps all other parameters byte for byte, and replaces its own two in every spelling', () => {
    const name = fc.constantFrom(
      'a',
      'b%20c',
      'state',
      'tokens',
      '?token',
      'Token',
      'x.token',
      'token',
      't%6Fken',
      'currency',
    )
    const value = fc.stringMatching(/^([A-Za-z0-9$@:/?,.~!*'();=_+-]|%[0-9A-F]{2}){0,12}$/)
    const pair = fc.tuple(name, fc.option(value)).map(([key, text]) => (text === null ? key : `${key}=${text}`))
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const search = new URL(returnAddress(new URL(`${ROOT}/cb?${pairs.join('&')}`), 'ours', currency)).search
        const others = pairs.filter((each) => !/^(t(o|%6F)ken|currency)(=|$)/.test(each))
        const written = search.slice(1).split('&')
        expect(written.slice(0, -2)).toEqual(others.map((each) => new URL(`${ROOT}/?${each}`).search.slice(1)))
        expect(new URLSearchParams(search).getAll('token')).toEqual(['ours'])
        expect(new URLSearchParams(search).getAll('currency')).toEqual([JSON.stringify(currency)])
      }),
    )
  })

  it('keeps every other parameter byte for byte, even an empty one', () => {
    const query = 'state=&scope=a%20b+c&fe_redirect=%2Fapps%3Fx%3D1%26y%3D2&uma=$a@b'
    expect(returnAddress(new URL(`${ROOT}/cb?${query}`), 't', currency)).toMatch(
      `${ROOT}/cb?${query}&token=t&currency=`,
    )
  })
})
