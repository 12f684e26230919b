import { describe, expect, it } from 'vitest'
import { alwaysGranted, commandNamed, COMMANDS, inTableOrder } from './commands'

const OF_SPECIFICATION = [
  'get_info',
  'get_budget',
  'get_balance',
  'make_invoice',
  'lookup_invoice',
  'list_transactions',
  'pay_invoice',
  'pay_keysend',
  'lookup_user',
  'fetch_quote',
  'execute_quote',
  'pay_to_address',
]

describe('the table of commands', () => {
  it('has the twelve commands of the specification, and each name, alias and endpoint once', () => {
    expect(COMMANDS.map(({ name }) => name)).toEqual(expect.arrayContaining(OF_SPECIFICATION))
    const spellings = COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(spellings).size).toBe(spellings.length)
    expect(new Set(COMMANDS.map(({ method, path }) => `${method} ${path}`)).size).toBe(COMMANDS.length)
  })

  it.each([
    ['get_invoices', 'lookup_invoice'],
    ['get_transactions', 'list_transactions'],
    ['get_budget_estimate', 'get_budget'],
  ])('accepts the alias %s of %s', (alias, name) => {
    expect(commandNamed(alias)).toBe(name)
    expect(commandNamed(name)).toBe(name)
  })

  it.each(['', 'GET_INFO', ' get_info', 'get_info ', '__proto__', 'constructor', 'toString'])(
    'has no command called %j',
    (spelling) => {
      expect(commandNamed(spelling)).toBeUndefined()
    },
  )

  it('always grants get_info and get_budget, and no command that moves or shows money', () => {
    expect(alwaysGranted()).toEqual(['get_info', 'get_budget'])
  })

  it('sorts names in the order of the table, and drops unknown names', () => {
    expect(inTableOrder(new Set(['pay_invoice', 'fly', 'get_info']))).toEqual(['get_info', 'pay_invoice'])
  })

  it('summarizes each command in plain words, without its technical name', () => {
    for (const { summary } of COMMANDS) expect(summary).toMatch(/^[A-Z][^_]{8,60}$/)
  })
})
