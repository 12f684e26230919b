import { describe, expect, it } from 'vitest'
import { numberOption, oneOf } from './options'

describe('a number on the command line', () => {
  it.each([
    ['6', { least: 1 }, 6],
    ['0.5', { least: 0.1 }, 0.5],
    ['3', { least: 1, whole: true }, 3],
  ])('%s is read', (text, terms, number) => {
    expect(numberOption('seconds', text, terms)).toBe(number)
  })

  it.each([
    ['abc', { least: 1 }],
    ['60m', { least: 1 }],
    ['', { least: 0 }],
    ['-1', { least: 0 }],
    ['0', { least: 1 }],
    ['1e3', { least: 1 }],
    ['Infinity', { least: 1 }],
    ['1.5', { least: 1, whole: true }],
    ['9007199254740993', { least: 0, whole: true }],
  ])('%j is refused with the name of its option', (text, terms) => {
    expect(() => numberOption('seconds', text, terms)).toThrow(/^--seconds takes a (whole )?number of at least \d\.$/)
  })
})

describe('a choice on the command line', () => {
  it('is one of the allowed values, or absent', () => {
    expect(oneOf('only', 'embedded', ['postgres', 'embedded'])).toBe('embedded')
    expect(oneOf('only', undefined, ['postgres', 'embedded'])).toBeUndefined()
    expect(() => oneOf('only', 'foo', ['postgres', 'embedded'])).toThrow('--only takes postgres or embedded.')
  })
})
