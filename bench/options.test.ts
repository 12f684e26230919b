import { describe, expect, it } from 'vitest'
import { parseBenchOptions, QUICK, WHOLE } from './options'

describe('the arguments of npm run bench', () => {
  it('measures this commit on both databases without arguments', () => {
    expect(parseBenchOptions([])).toEqual({
      against: undefined,
      quick: false,
      events: false,
      statements: false,
      waits: false,
      only: undefined,
      out: undefined,
    })
  })

  it('reads a comparison', () => {
    const options = parseBenchOptions(['--quick', '--against', 'HEAD~1', '--only', 'postgres', '--out', 'x.md'])
    expect(options).toEqual({
      against: 'HEAD~1',
      quick: true,
      events: false,
      statements: false,
      waits: false,
      only: 'postgres',
      out: 'x.md',
    })
  })

  it.each([
    { args: ['--against'], says: '--against' },
    { args: ['--against', ''], says: '--against takes a commit' },
    { args: ['--against=-x'], says: '--against takes a commit' },
    { args: ['--only', 'mysql'], says: '--only takes postgres or embedded' },
    { args: ['--events', '--only', 'embedded'], says: '--events takes neither' },
    { args: ['--waits', '--quick'], says: '--waits takes no other' },
    { args: ['--fast'], says: '--fast' },
    { args: ['main'], says: 'main' },
  ])('refuses $args', ({ args, says }) => {
    expect(() => parseBenchOptions(args)).toThrow(says)
  })

  it('compares in at least seven rounds unless the run is quick', () => {
    expect(WHOLE.rounds).toBeGreaterThanOrEqual(7)
    expect(QUICK.rounds).toBeLessThan(WHOLE.rounds)
  })
})
