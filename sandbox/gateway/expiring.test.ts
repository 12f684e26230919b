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
    kept.set('a', 'text', 100)
    expect([kept.get('a', 99), kept.get('a', 100)]).toEqual(['text', undefined])
  })

  it('is evicted when it is the oldest beyond the maximum', () => {
    const kept = new Expiring<number>(3)
    for (const number of [1, 2, 3, 4, 5]) kept.set(String(number), number, 100)
    expect([1, 2, 3, 4, 5].map((number) => kept.get(String(number), 0))).toEqual([undefined, undefined, 3, 4, 5])
  })
})

describe('sign-ins at the gateway', () => {
  const login = {
    token: 't',
    sub: 'alice',
    address: '$alice@localhost:3000',
    expiresAtSeconds: 1_000_000,
    currency: { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 },
  }

  it('stay bounded: beyond 500, the oldest ends', () => {
    const store = new Store(folder)
    const ids = Array.from({ length: 501 }, () => store.signIn(login))
    expect([ids[0], ids[1], ids.at(-1)].map((id) => store.login(id, 0))).toEqual([undefined, login, login])
  })
})
