import { describe, expect, it } from 'vitest'
import { readDemoArguments } from './demo-arguments'

describe('the arguments of the demo', () => {
  it('are optional, and choose the processes and the data to erase first', () => {
    expect(readDemoArguments([])).toEqual({
      lnd: false,
      gateway: true,
      southbank: true,
      empty: false,
      reset: undefined,
    })
    expect(readDemoArguments(['--reset', '--no-gateway'])).toMatchObject({ gateway: false, reset: 'data' })
    expect(readDemoArguments(['--no-southbank'])).toMatchObject({ gateway: true, southbank: false })
    expect(readDemoArguments(['--empty'])).toMatchObject({ empty: true, southbank: true })
    expect(readDemoArguments(['--reset=keys'])).toMatchObject({ reset: 'keys' })
  })

  it('reject an unknown option with one line', () => {
    expect(() => readDemoArguments(['--bogus'])).toThrow(/^Unknown option '--bogus'\.$/)
    expect(() => readDemoArguments(['--reset=all'])).toThrow('--reset takes data or keys.')
  })
})
