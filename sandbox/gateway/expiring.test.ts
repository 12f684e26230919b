import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Expiring } from './expiring'
import { Store } from './store'

const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a value with an expiry', () => {
  it('exists until its expiry', () => {
    const kept = new Expiring<string>(10)
    kept.set('a', 'text', 100, 0)
    expect([kept.get('a', 99), kept.get('a', 100)]).toEqual(['text', undefined])
  })

  it('is deleted after its expiry, when another value is stored', () => {
    const kept = new Expiring<number>(10)
    kept.set('a', 1, 100, 0)
    kept.set('b', 2, 300, 200)
    expect(kept.size).toBe(1)
  })

  it('is evicted when it is the oldest beyond the maximum', () => {
    const kept = new Expiring<number>(3)
    for (const number of [1, 2, 3, 4, 5]) kept.set(String(number), number, 100, 0)
    expect([1, 2, 3, 4, 5].map((number) => kept.get(String(number), 0))).toEqual([undefined, undefined, 3, 4, 5])
  })
})

describe('sign-ins at the gateway', () => {
  const login = (expiresAtSeconds: number) => ({
    token: 't',
    sub: 'alice',
    address: '$alice@localhost:3000',
    expiresAtSeconds,
    currency: { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 },
  })

  it('stay bounded: those whose token has expired are deleted at the next sign-in', () => {
    const store = new Store(folder)
    for (let second = 0; second < 50; second++) store.signIn(login(second + 10), second)
    expect(store.signedIn).toBeLessThanOrEqual(10)
  })

  it('stay bounded while their tokens are valid', () => {
    const store = new Store(folder)
    for (let count = 0; count < 600; count++) store.signIn(login(1_000_000), 0)
    expect(store.signedIn).toBe(500)
  })
})
