import { describe, expect, it } from 'vitest'
import { addressAtOwnHost, isOwnForm } from './own-site'

const at = (url: string, host: string | undefined, method = 'GET'): Request =>
  new Request(url, { method, headers: host === undefined ? {} : { host } })

describe('a page', () => {
  it.each([
    ['127.0.0.1:3200', 'http://127.0.0.1:3200/wallet?a=b%20c&d', 'http://localhost:3200/wallet?a=b%20c&d'],
    ['[::1]:3200', 'http://[::1]:3200/', 'http://localhost:3200/'],
    ['LOCALHOST:3201', 'http://localhost:3201/x', 'http://localhost:3200/x'],
    ['machine.local:3200', 'http://machine.local:3200//evil.example', 'http://localhost:3200//evil.example'],
  ])('that is reached at %s is redirected to the configured address', (host, url, address) => {
    expect(addressAtOwnHost(at(url, host), 'http://localhost:3200')).toBe(address)
    expect(addressAtOwnHost(at(url, host, 'HEAD'), 'http://localhost:3200')).toBe(address)
  })

  it.each([
    ['the configured host', 'http://localhost:3200', 'localhost:3200', '/'],
    ['the configured host in capitals', 'http://localhost:3200', 'LocalHost:3200', '/'],
    ['a proxy that sends its own host', 'https://shop.example', '127.0.0.1:3200', '/'],
    ['a proxy on this machine', 'https://localhost:8443', '127.0.0.1:3200', '/'],
    ['no host', 'http://localhost:3200', undefined, '/'],
    ['a program that checks the process', 'http://localhost:3200', '127.0.0.1:3200', '/-/alive'],
    ['a program that reads a document', 'http://localhost:3200', '127.0.0.1:3200', '/.well-known/nostr.json'],
  ])('is shown at %s', (_why, own, host, path) => {
    expect(addressAtOwnHost(at(`http://127.0.0.1:3200${path}`, host), own)).toBeUndefined()
  })

  it('is not redirected while it sends a form', () => {
    expect(addressAtOwnHost(at('http://127.0.0.1:3200/x', '127.0.0.1:3200', 'POST'), 'http://localhost:3200')).toBe(
      undefined,
    )
  })
})

describe('a form', () => {
  const own = 'http://localhost:3200'
  const host = 'localhost:3200'
  it.each([
    [{ origin: own }],
    [{ origin: 'null', 'sec-fetch-site': 'same-origin', host }],
    [{ 'sec-fetch-site': 'same-origin', host }],
  ])('is our own with %j', (headers) => {
    expect(isOwnForm(new Headers(headers), own)).toBe(true)
  })

  it.each([
    [{}],
    [{ host }],
    [{ origin: 'null', host }],
    [{ origin: 'http://127.0.0.1:3200', host }],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin', host }],
    [{ 'sec-fetch-site': 'same-site', host }],
    [{ 'sec-fetch-site': 'cross-site', host }],
    [{ 'sec-fetch-site': 'none', host }],
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'same-origin', host: 'evil.example:3200' }],
  ])('is not our own with %j', (headers) => {
    expect(isOwnForm(new Headers(headers as Record<string, string>), own)).toBe(false)
  })
})
