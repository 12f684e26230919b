import { describe, expect, it } from 'vitest'
import { isAddressOf, ownAddressOf } from './domains'

const settings = { umaLocalPeers: ['localhost:3001'] }

describe('an address of a VASP', () => {
  it.each([
    ['bank.example', 'https://bank.example/uma/pay/bob'],
    ['bank.example', 'https://BANK.example:443/pay?x=1'],
    ['bank.example', 'https://uma.bank.example/pay'],
    ['bank.example', 'https://a.b.bank.example/pay'],
    ['localhost:3001', 'http://localhost:3001/pay'],
  ])('of %s is %s', (domain, address) => {
    expect(isAddressOf(settings, address, domain)).toBe(true)
    expect(ownAddressOf(settings, address, domain)).toBe(address)
  })

  it.each([
    ['bank.example', 'https://evilbank.example/pay'],
    ['bank.example', 'https://-bank.example/pay'],
    ['bank.example', 'https://bank.example.evil.example/pay'],
    ['bank.example', 'https://example/pay'],
    ['bank.example', 'https://bank.example:8443/pay'],
    ['bank.example', 'https://uma.bank.example:8443/pay'],
    ['bank.example', 'http://bank.example/pay'],
    ['bank.example', 'https://bank.example@evil.example/pay'],
    ['bank.example', 'https://user@bank.example/pay'],
    ['bank.example', 'https://user:password@uma.bank.example/pay'],
    ['bank.example', 'http://localhost:3001/pay'],
    ['bank.example', 'bank.example/pay'],
    ['localhost:3001', 'http://localhost:3002/pay'],
    ['localhost:3001', 'http://uma.localhost:3001/pay'],
    ['localhost:3001', 'https://localhost:3001/pay'],
  ])('of %s is not %s', (domain, address) => {
    expect(isAddressOf(settings, address, domain)).toBe(false)
    expect(ownAddressOf(settings, address, domain)).toBeUndefined()
  })
})
