import { expect, it } from 'vitest'
import { readTokenArguments } from './token-arguments'

const NOW = 1_800_000_000
const read = (...args: string[]) => readTokenArguments(args, NOW)

it.each(['1h', '', 'NaN', '1e9', '-5', '12.5', 'tomorrow', '0x7fffffff', String(NOW - 3_600)])(
  'refuses the expiration %j',
  (text) => {
    expect(() => read('alice', `--expiration=${text}`)).toThrow(
      new Error('--expiration is a whole number of seconds, such as 3600 for an hour.'),
    )
  },
)

it('takes a lifetime, or seconds since 1970', () => {
  expect(read('alice', '--expiration=3600').expiresAtSeconds).toBe(NOW + 3_600)
  expect(read('alice', `--expiration=${NOW + 60}`).expiresAtSeconds).toBe(NOW + 60)
  expect(read('alice').expiresAtSeconds).toBeUndefined()
})

it.each([[[]], [['alice', 'bob']]])('asks for one user when it gets %j', (names) => {
  expect(() => read(...names)).toThrow(new Error('Name one user, such as alice.'))
})

it('refuses an unknown permission, and takes each spelling of a known one', () => {
  expect(() => read('alice', '--permissions', 'get_balance,pay_invoce')).toThrow(
    /^--permissions: there is no command pay_invoce\. There are get_info, .+\.$/,
  )
  expect(read('alice', '--permissions=get_transactions, get_balance').permissions).toEqual([
    'get_transactions',
    'get_balance',
  ])
})
