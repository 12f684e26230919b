import { readdirSync } from 'node:fs'
import { createFilter } from 'vite'
import { describe, expect, it } from 'vitest'
import config from '../../vitest.config'
import { helpOf } from '../options'
import { readTestArguments, TEST } from './arguments'
import { announcement, planOf } from './plan'
import { STAGES } from './stages'

const plan = (...args: string[]): ReturnType<typeof planOf> => planOf(readTestArguments(args))
const names = (...args: string[]): string[] => plan(...args).stages.map(({ name }) => name)

const [UNIT, SPEC] = ['lib/money/convert.test.ts', 'e2e/apps/show.spec.ts']

describe('the arguments of npm test', () => {
  it('may be missing', () => {
    expect(readTestArguments([])).toEqual({ all: false, noSkips: false, only: [], files: [] })
  })

  it('take stages after --only, repeated or with commas, and each once', () => {
    const read = readTestArguments(['--only', 'unit,types', '--only=unit', '--no-skips'])
    expect(read).toMatchObject({ only: ['unit', 'types'], noSkips: true })
  })

  it('take names of test files, also with ./ and backslashes, and how often each is repeated', () => {
    const read = readTestArguments([`./${UNIT}`, SPEC, UNIT, '--repeat', '20'])
    expect(read).toMatchObject({ files: [UNIT, SPEC], repeat: 20 })
  })

  it.each([
    [['--only', 'everything'], "There is no stage 'everything'."],
    [['--only', ''], "There is no stage ''."],
    [['bogus'], "There is no file 'bogus'."],
    [['unit'], "'unit' is a stage: write --only unit."],
    [['README.md'], "'README.md' is not a test file."],
    [['lib/money'], "'lib/money' is a folder: name its test files. `npm run unit -- lib/money` runs its unit tests."],
    [['--al'], "Unknown option '--al'"],
    [['--all', '--only', 'unit'], 'Give --all or --only, not both.'],
    [['--all', SPEC], 'Give --all or file names, not both.'],
    [['--repeat', '20'], '--repeat needs the names of test files.'],
    [['--repeat', '20', '--only', 'unit'], '--repeat needs the names of test files.'],
    [['--repeat', '0', SPEC], '--repeat takes a whole number of at least 1.'],
    [['--repeat', SPEC], '--repeat needs the names of test files.'],
  ])('reject %j', (args, message) => {
    expect(() => readTestArguments(args)).toThrow(message)
  })

  it('have a help text with every stage, which says what needs a registry', () => {
    const lines = helpOf(TEST).split('\n')
    for (const { name, needsRegistry } of STAGES) {
      const [line = ''] = lines.filter((each) => each.includes(` ${name} `))
      expect([name, / \(needs (.+)\)$/.exec(line)?.[1]]).toEqual([name, needsRegistry])
    }
  })
})

describe('the plan of a test run', () => {
  const DEFAULT = ['format', 'lint', 'types', 'unit', 'database', 'simulation', 'build', 'process', 'browser']

  it('has the default stages and names the others as left out', () => {
    expect(names()).toEqual(DEFAULT)
    const leftOut = plan().leftOut.map(({ name }) => name)
    expect(leftOut).toContain('database-both')
    expect(leftOut).not.toContain('database')
  })

  it('has every stage with --all, the larger one in place of its smaller one, and leaves out none', () => {
    const smaller = ['database', 'simulation', 'process', 'browser']
    expect(names('--all')).toEqual(STAGES.map(({ name }) => name).filter((name) => !smaller.includes(name)))
    expect(plan('--all').leftOut).toEqual([])
  })

  it('has the chosen stages in the order of the table, after a build where one needs it', () => {
    expect(names('--only', 'process-all,lint')).toEqual(['lint', 'build', 'process-all'])
    expect(names('--only', 'database')).toEqual(['database'])
    const onBuild = STAGES.filter(({ name }) => names('--only', name)[0] === 'build').map(({ name }) => name)
    expect(onBuild).toEqual(STAGES.slice(STAGES.findIndex(({ name }) => name === 'build')).map(({ name }) => name))
  })

  it('has one stage for each runner that the files need, after a build where one needs it', () => {
    const files = [UNIT, SPEC, 'scripts/users.db.test.ts']
    expect(names(...files)).toEqual(['build', 'vitest', 'browser'])
    const [, vitest, browser] = plan(...files).stages.map(({ run }) => run[0]?.args)
    expect(vitest).toEqual(expect.arrayContaining(['--project=*', UNIT, 'scripts/users.db.test.ts']))
    expect(browser).toEqual(expect.arrayContaining(['--workers=1', SPEC]))
    expect(names(UNIT, 'scripts/process-table.test.ts')).toEqual(['vitest'])
    expect(names('test/process/http.process.test.ts')).toEqual(['build', 'vitest'])
  })

  it('has one stage for each file that is repeated, beside busy loops', () => {
    const repeated = plan(SPEC, UNIT, '--repeat', '20').stages
    expect(repeated.map(({ name, repeat }) => [name, repeat])).toEqual([
      ['build', undefined],
      [SPEC, 20],
      [UNIT, 20],
    ])
    expect(announcement(repeated)).toMatch(/\. Each file 20 times, beside two busy loops\.$/)
  })

  it('reaches a registry in no default stage', () => {
    const needing = STAGES.filter(({ needsRegistry }) => needsRegistry !== undefined)
    expect(needing.map(({ name }) => name)).toEqual(['package', 'parties', 'lnd', 'node-20.19', 'node-26'])
    expect(needing.filter(({ isDefault }) => isDefault)).toEqual([])
  })

  it('is announced with its number of stages and its time', () => {
    expect(announcement(plan('--only', 'format,lint').stages)).toMatch(
      /^2 stages, about 21 seconds on a quiet machine with 2 cores \(this one has \d+\): format, lint\.$/,
    )
    expect(announcement(plan('--only', 'database-both').stages)).toMatch(/^1 stage, about 5 minutes on /)
    expect(announcement(plan(UNIT).stages)).toBe('1 stage: vitest.')
  })
})

it('every test file belongs to exactly one project of vitest, or to Playwright', () => {
  const folders = ['app', 'bench', 'components', 'e2e', 'examples', 'lib', 'packages', 'sandbox', 'scripts', 'test']
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${String(file)}`))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(test|spec)\.tsx?$/.test(file) && !file.includes('/node_modules/'))
  expect(files.length).toBeGreaterThan(100)
  const projects = (config.test?.projects ?? []).flatMap((project) => {
    const { include, exclude } = (project as { test: { include: string[]; exclude?: string[] } }).test
    return include.length === 0 ? [] : [createFilter(include, exclude, { resolve: false })]
  })
  // `e2e/sign-in/own-users.spec.ts` runs the tests of the example, as the guide shows them.
  const isOfPlaywright = (file: string): boolean => /^(?:e2e|examples\/test-your-app\/tests)\/.*\.spec\.ts$/.test(file)
  const homes = (file: string): number => projects.filter((has) => has(file)).length + (isOfPlaywright(file) ? 1 : 0)
  expect(files.filter((file) => homes(file) !== 1)).toEqual([])
})
