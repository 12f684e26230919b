import { expect, it } from 'vitest'
import { backFrom, loginAddress } from './login-address'

const OWN = 'http://localhost:3000'

it('names the page to return to after signing in, and the reason for the sign-in', () => {
  expect(loginAddress('/wallets/USD?before=9', OWN)).toBe('/login?back=%2Fwallets%2FUSD%3Fbefore%3D9')
  expect(loginAddress(`${OWN}/wallets/send`, OWN, 'SignedOut')).toBe('/login?error=SignedOut&back=%2Fwallets%2Fsend')
  expect(loginAddress(undefined, OWN)).toBe('/login')
})

it('leaves out a page whose address does not fit into the address of the sign-in page', () => {
  const page = `/wallets/send?invoice=${'%22'.repeat(2_500)}`
  expect(loginAddress(page, OWN)).toBe('/login')
  expect(loginAddress(page, OWN, 'SignedOut')).toBe('/login?error=SignedOut')
  expect(loginAddress(`/wallets/send?invoice=${'x'.repeat(1_900)}`, OWN)).toContain('xxx')
})

it.each([
  'https://evil.example/',
  '//evil.example/wallets',
  `${OWN}//evil.example`,
  'http://localhost:30000/wallets',
  'javascript:alert(1)',
  '/',
  '/login?back=/login',
  '/api/auth/session',
  '/connect?ask=x',
  '/connect#',
  '',
])('returns to no other address: %s', (url) => {
  expect(backFrom(url, OWN)).toBeUndefined()
})
