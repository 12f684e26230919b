import { describe, expect, it } from 'vitest'
import { readTokenArguments } from '../../scripts/token-arguments'
import { readDemoArguments } from './demo-arguments'

const NOW = 1_800_000_000
const token = (...args: string[]) => readTokenArguments(args, NOW)

describe('the arguments of the token command', () => {
  it('accept a name alone, or all options', () => {
    expect(token('alice')).toEqual({
      username: 'alice',
      permissions: ['get_info', 'get_budget'],
      expiresAtSeconds: undefined,
      readsPassword: false,
    })
    expect(token('bob', '--permissions', 'get_info, get_balance', '--expiration', '3600', '--password-stdin')).toEqual({
      username: 'bob',
      permissions: ['get_info', 'get_balance'],
      expiresAtSeconds: NOW + 3600,
      readsPassword: true,
    })
  })

  it.each([
    ['carol', '--password', 'a secret'],
    ['--password=a secret', 'carol'],
    ['carol', '--password'],
  ])('are rejected with a password among them, which is not repeated: %s %s %s', (...args: string[]) => {
    const complaint =
      /^There is no option --password, .+ Give --password-stdin, and send the password on standard input\.$/
    expect(() => token(...args)).toThrow(complaint)
  })

  it('accept commands in either spelling that the exchange accepts', () => {
    expect(token('alice', '--permissions', 'list_transactions,get_transactions')).toMatchObject({
      permissions: ['list_transactions', 'get_transactions'],
    })
  })

  it.each([
    ['pay_invoce', 'pay_invoce'],
    ['get_info,pay_invoce,fly', 'pay_invoce or fly'],
    ['Get_Info', 'Get_Info'],
  ])('reject an unknown command, because the exchange ignores it: %s', (given, unknown) => {
    expect(() => token('alice', '--permissions', given)).toThrow(
      `--permissions: there is no command ${unknown}. There are get_info, get_budget or get_budget_estimate, `,
    )
  })

  it('accept a future time as the exchange does, in seconds since 1970', () => {
    expect(token('alice', '--expiration', String(NOW + 60))).toMatchObject({ expiresAtSeconds: NOW + 60 })
  })

  it.each([
    ['alice', '--expiration', '1h'],
    ['alice', '--expiration', '-5'],
    ['alice', '--expiration=-5'],
    ['alice', '--expiration', '0'],
    ['alice', '--expiration', '1.5'],
    ['alice', '--expiration', ''],
    ['alice', '--expiration', String(NOW - 1)],
    ['alice', '--bogus'],
    ['alice', '--password-stdin=x'],
    ['alice', 'bob'],
    ['alice', '--permissions', ','],
    ['alice', '--permissions', 'fly'],
    [],
  ])('are rejected with one line: %s %s %s', (...args: string[]) => {
    expect(() => token(...args)).toThrow(/^[^\n]+\.$/)
  })
})

describe('the arguments of the demo', () => {
  it('are optional, and choose the processes and the data to erase first', () => {
    expect(readDemoArguments([])).toEqual({ gateway: true, southbank: true, reset: undefined })
    expect(readDemoArguments(['--reset', '--no-gateway'])).toMatchObject({ gateway: false, reset: 'data' })
    expect(readDemoArguments(['--no-southbank'])).toMatchObject({ gateway: true, southbank: false })
    expect(readDemoArguments(['--reset=keys'])).toMatchObject({ reset: 'keys' })
  })

  it('reject an unknown option with one line', () => {
    expect(() => readDemoArguments(['--bogus'])).toThrow(/^Unknown option '--bogus'\.$/)
    expect(() => readDemoArguments(['--reset=all'])).toThrow('--reset takes data or keys.')
  })
})
