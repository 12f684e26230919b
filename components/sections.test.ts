import { expect, it } from 'vitest'
import { placeOf } from './sections'

it.each([
  ['/wallets', 'Wallet', '/wallets', true],
  ['/activity/statement', 'Wallet', '/activity', false],
  ['/wallets/USD', 'Wallet', '/wallets', false],
  ['/wallets/sent/abc', 'Wallet', '/wallets', false],
  ['/wallets/send', 'Wallet', '/wallets/send', true],
  ['/wallets/quotes/abc', 'Wallet', '/wallets/send', false],
  ['/wallets/receive', 'Wallet', '/wallets/receive', true],
  ['/invoices/uma/abc', 'Wallet', '/invoices', false],
  ['/connections/abc', 'Apps', '/connections', false],
  ['/developers', 'Developers', '/developers', true],
  ['/developers/start', 'Developers', '/developers/start', true],
  ['/developers/api', 'Developers', '/developers/api', true],
  ['/developers/api/get_balance', 'Developers', '/developers/api', false],
  ['/developers/gateway', 'Developers', '/developers/gateway', true],
  ['/developers/wire/7', 'Developers', '/developers/wire', false],
  ['/show', 'Developers', '/show', true],
  ['/sandbox', 'Developers', '/sandbox', true],
])('marks the section and the page of %s in the navigation: %s, %s', (path, section, page, isPage) => {
  expect(placeOf(path)).toEqual({ section, page, isPage })
})

it.each(['/', '/settings', '/walletsx'])('marks nothing for %s', (path) => {
  expect(placeOf(path)).toEqual({})
})
