import { expect, it } from 'vitest'
import { sectionOf } from './nav-link'

it.each([
  ['/wallets', '/wallets'],
  ['/wallets/USD', '/wallets'],
  ['/wallets/sent/abc', '/wallets'],
  ['/wallets/send', '/wallets/send'],
  ['/wallets/quotes/abc', '/wallets/send'],
  ['/wallets/receive', '/wallets/receive'],
  ['/invoices/uma/abc', '/invoices'],
  ['/developers/gateway', '/developers/wire'],
  ['/', undefined],
])('marks the section of %s in the navigation: %s', (path, section) => {
  expect(sectionOf(path)).toBe(section)
})
