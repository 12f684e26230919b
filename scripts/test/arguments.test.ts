import { describe, expect, it } from 'vitest'
import { helpOf } from '../options'
import { readTestArguments, TEST } from './arguments'
import { STAGES } from './stages'

const FILES = ['lib/money/rate.test.ts', 'e2e/apps/show.spec.ts', 'README.md']
const read = (...args: string[]): ReturnType<typeof readTestArguments> =>
  readTestArguments(args, (path) => FILES.includes(path))

describe('the arguments of npm test', () => {
  it('may be missing', () => {
    expect(read()).toEqual({ all: false, noSkips: false, only: [], files: [], repeat: undefined })
  })

  it('take stages after --only, repeated or with commas, and each once', () => {
    expect(read('--only', 'unit,types', '--only=unit', '--no-skips')).toMatchObject({
      only: ['unit', 'types'],
      noSkips: true,
    })
  })

  it('take names of test files, also with ./ and backslashes', () => {
    expect(read('./lib/money/rate.test.ts', 'e2e\\apps\\show.spec.ts').files).toEqual([
      'lib/money/rate.test.ts',
      'e2e/apps/show.spec.ts',
    ])
  })

  it('take how often each file is repeated', () => {
    expect(read('--repeat', '20', 'e2e/apps/show.spec.ts')).toMatchObject({
      repeat: 20,
      files: ['e2e/apps/show.spec.ts'],
    })
  })

  it.each([
    [['--only', 'everything'], "There is no stage 'everything'."],
    [['--only', ''], "There is no stage ''."],
    [['bogus'], "There is no file 'bogus'."],
    [['unit'], "'unit' is a stage: write --only unit."],
    [['README.md'], "'README.md' is not a test file."],
    [['--al'], "Unknown option '--al'"],
    [['--all', '--only', 'unit'], 'Give --all or --only, not both.'],
    [['--all', 'e2e/apps/show.spec.ts'], 'Give --all or file names, not both.'],
    [['--repeat', '20'], '--repeat needs the names of test files.'],
    [['--repeat', '20', '--only', 'unit'], '--repeat needs the names of test files.'],
    [['--repeat', '0', 'e2e/apps/show.spec.ts'], '--repeat takes a whole number of at least 1.'],
    [['--repeat', 'e2e/apps/show.spec.ts'], '--repeat needs the names of test files.'],
  ])('reject %j', (args, message) => {
    expect(() => read(...args)).toThrow(message)
  })

  it('have a help text with every stage, which says what needs a registry', () => {
    const lines = helpOf(TEST).split('\n')
    for (const { name, needsRegistry } of STAGES) {
      const [line = ''] = lines.filter((each) => each.includes(` ${name} `))
      expect([name, / \(needs (.+)\)$/.exec(line)?.[1]]).toEqual([name, needsRegistry])
    }
  })
})
