import { describe, expect, it } from 'vitest'
import { parseBenchOptions } from './options'

describe('the arguments of npm run bench', () => {
  it('measures this commit on both databases without arguments', () => {
    expect(parseBenchOptions([])).toEqual({
      against: undefined,
      only: [],
      rounds: 3,
      seconds: 2,
      engine: undefined,
      beside: undefined,
      statements: false,
      waits: false,
    })
  })

  it('reads a comparison', () => {
    const args = ['--against', 'HEAD~1', '--only', 'get /balance, page', '--rounds', '5', '--seconds', '0.5']
    expect(parseBenchOptions([...args, '--engine', 'postgres', '--beside', 'lnbits'])).toEqual({
      against: 'HEAD~1',
      only: ['get /balance', 'page'],
      rounds: 5,
      seconds: 0.5,
      engine: 'postgres',
      beside: 'lnbits',
      statements: false,
      waits: false,
    })
  })

  it.each([
    { args: ['--against'], says: '--against' },
    { args: ['--against', ''], says: '--against takes a commit' },
    { args: ['--against=-x'], says: '--against takes a commit' },
    { args: ['--engine', 'mysql'], says: '--engine takes postgres or embedded' },
    { args: ['--beside', 'lnd'], says: '--beside takes lnbits' },
    { args: ['--rounds', '0'], says: '--rounds takes a whole number of at least 1' },
    { args: ['--rounds', '1.5'], says: '--rounds takes a whole number of at least 1' },
    { args: ['--seconds', '0'], says: '--seconds takes a number of at least 0.1' },
    { args: ['--waits', '--only', 'x'], says: '--waits takes no other' },
    { args: ['--statements', '--rounds', '1'], says: '--statements takes no other' },
    { args: ['--fast'], says: '--fast' },
    { args: ['main'], says: 'main' },
  ])('refuses $args', ({ args, says }) => {
    expect(() => parseBenchOptions(args)).toThrow(says)
  })
})
