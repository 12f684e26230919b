import { expect, it } from 'vitest'
import { readTokenArguments } from './token-arguments'

const NOW = 1_800_000_000
const read = (...args: string[]) => readTokenArguments(args, NOW)

it('takes a name alone, or all options', () => {
  expect(read('alice')).toEqual({
    username: 'alice',
    permissions: ['get_info', 'get_budget'],
    expiresAtSeconds: undefined,
    readsPassword: false,
  })
  // A permission in each spelling that the exchange takes.
  const permissions = 'get_info, list_transactions,get_transactions'
  expect(read('bob', '--permissions', permissions, '--expiration', '3600', '--password-stdin')).toEqual({
    username: 'bob',
    permissions: ['get_info', 'list_transactions', 'get_transactions'],
    expiresAtSeconds: NOW + 3_600,
    readsPassword: true,
  })
})

it('takes an expiration in seconds since 1970, as the exchange does', () => {
  expect(read('alice', `--expiration=${NOW + 60}`).expiresAtSeconds).toBe(NOW + 60)
})

it.each(['1h', '', '0', 'NaN', '1e9', '-5', '12.5', 'tomorrow', '0x7fffffff', String(NOW - 3_600), String(NOW - 1)])(
  'refuses the expiration %j',
  (text) => {
    expect(() => read('alice', `--expiration=${text}`)).toThrow(
      new Error('--expiration is a whole number of seconds, such as 3600 for an hour.'),
    )
  },
)

it.each([[[]], [['alice', 'bob']]])('asks for one user when it gets %j', (names) => {
  expect(() => read(...names)).toThrow(new Error('Name one user, such as alice.'))
})

it.each([
  ['pay_invoce', 'pay_invoce'],
  ['get_info,pay_invoce,fly', 'pay_invoce or fly'],
  ['Get_Info', 'Get_Info'],
])('refuses an unknown permission, which the exchange would ignore: %s', (given, unknown) => {
  expect(() => read('alice', '--permissions', given)).toThrow(
    `--permissions: there is no command ${unknown}. There are get_info, get_budget or get_budget_estimate, `,
  )
})

it.each([
  ['--permissions', ','],
  ['--expiration', '-5'],
  ['--password-stdin=x', '--bogus'],
])('refuses %s %s in one line', (...args) => {
  expect(() => read('alice', ...args)).toThrow(/^[^\n]+\.$/)
})

it.each([
  ['carol', '--password', 'a secret'],
  ['--password=a secret', 'carol'],
  ['carol', '--password'],
])('refuses a password among the arguments and repeats no part of it: %s %s %s', (...args) => {
  expect(() => read(...args)).toThrow(
    /^There is no option --password, .+ Give --password-stdin, and send the password on standard input\.$/,
  )
})
