import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { seedOfCommit } from './commit-seed'
import { announcement, planOf } from './plan'
import { routeOf } from './routing'
import { STAGES } from './stages'

const choice = { all: false, only: [], files: [], repeat: undefined }
const names = (plan: ReturnType<typeof planOf>): string[] => plan.stages.map(({ name }) => name)

describe('the plan of a test run', () => {
  it('has the default stages and names the others as left out', () => {
    const plan = planOf(choice)
    expect(names(plan)).toEqual([
      'format',
      'lint',
      'types',
      'unit',
      'database',
      'simulation',
      'build',
      'process',
      'browser',
    ])
    expect(plan.leftOut).toContain('database-both')
    expect(plan.leftOut).not.toContain('database')
  })

  it('has every stage with --all, the larger one in place of its smaller one, and leaves out none', () => {
    const plan = planOf({ ...choice, all: true })
    expect(plan.leftOut).toEqual([])
    const replaced = STAGES.map(({ replaces }) => replaces)
    expect(names(plan)).toEqual(STAGES.map(({ name }) => name).filter((name) => !replaced.includes(name)))
    expect(names(plan)).toContain('simulation-full')
    expect(names(plan)).not.toContain('simulation')
    expect(names(plan)).toContain('process-all')
    expect(names(plan)).not.toContain('process')
  })

  it('has the chosen stages in the order of the table, after a build where one needs it', () => {
    expect(names(planOf({ ...choice, only: ['process-all', 'lint'] }))).toEqual(['lint', 'build', 'process-all'])
    expect(names(planOf({ ...choice, only: ['database'] }))).toEqual(['database'])
  })

  it('has one stage for each runner that the files need, after a build where one needs it', () => {
    const files = ['lib/a.test.ts', 'e2e/apps/show.spec.ts', 'lib/b.db.test.ts', 'lib/c.test.ts']
    const plan = planOf({ ...choice, files })
    expect(names(plan)).toEqual(['build', 'unit', 'browser', 'database'])
    expect(plan.stages[1]?.steps()).toMatchObject([
      { args: expect.arrayContaining(['unit*', 'lib/a.test.ts', 'lib/c.test.ts']) },
    ])
    expect(names(planOf({ ...choice, files: ['lib/a.test.ts'] }))).toEqual(['unit'])
  })

  it('has one stage for each file that is repeated, beside busy loops', () => {
    const plan = planOf({ ...choice, files: ['e2e/apps/show.spec.ts', 'lib/a.test.ts', 'lib/c.test.ts'], repeat: 20 })
    expect(names(plan)).toEqual(['build', 'e2e/apps/show.spec.ts', 'lib/a.test.ts', 'lib/c.test.ts'])
    expect(plan.stages.map(({ repeat }) => repeat)).toEqual([undefined, 20, 20, 20])
    expect(announcement(plan)).toMatch(/\. Each file 20 times, beside two busy loops\.$/)
  })

  it('reaches a registry in the stages that install packages, and in no default stage', () => {
    const needing = STAGES.filter(({ needsRegistry }) => needsRegistry)
    expect(needing.map(({ name, needsRegistry }) => [name, needsRegistry])).toEqual([
      ['package', 'the npm registry'],
      ['parties', 'PyPI'],
      ['node-20.19', 'the npm registry'],
      ['node-26', 'the npm registry'],
    ])
    expect(needing.filter(({ isDefault }) => isDefault)).toEqual([])
  })

  it('has more random schedules with --all, whose seed changes with the commit', async () => {
    const [step] = (await STAGES.find(({ name }) => name === 'simulation-commit')?.steps()) ?? []
    expect(step?.env).toMatchObject({ TEST_SEED: String(seedOfCommit()), SIMULATE_MIN_PER_CELL: '0' })
  })

  it('is announced with its number of stages and its time', () => {
    const stages = [
      { name: 'types', seconds: 100, steps: () => [] },
      { name: 'unit', seconds: 380, steps: () => [] },
    ]
    const time = 'about 8 minutes on a quiet machine with 2 cores'
    expect(announcement({ stages, leftOut: [] })).toMatch(new RegExp(`^2 stages, ${time} .*: types, unit\\.$`))
    expect(announcement(planOf({ ...choice, files: ['lib/a.test.ts'] }))).toBe('1 stage: unit.')
  })
})

describe('the runner of a test file', () => {
  it.each([
    ['lib/money/rate.test.ts', 'unit'],
    ['app/page.test.tsx', 'unit'],
    ['scripts/test/plan.test.ts', 'unit'],
    ['lib/backend/api.db.test.ts', 'database'],
    ['test/bad-input/api.input.test.ts', 'input'],
    ['test/simulation/random.sim.test.ts', 'simulation'],
    ['test/load/load.load.test.ts', 'load'],
    ['test/proxies/pooler.proxy.test.ts', 'proxies'],
    ['test/conformance/own-vasp.conformance.test.ts', 'conformance'],
    ['test/process/http.process.test.ts', 'process'],
    ['test/process/image.package.test.ts', 'package'],
    ['examples/express.package.test.ts', 'package'],
    ['test/parties/python.party.test.ts', 'parties'],
    ['e2e/apps/show.spec.ts', 'browser'],
    ['lib/money/rate.ts', undefined],
    ['README.md', undefined],
  ])('%s: %s', (file, route) => {
    expect(routeOf(file)).toBe(route)
  })

  it('exists for every test file of the repository', () => {
    const folders = ['app', 'bench', 'e2e', 'examples', 'lib', 'packages', 'sandbox', 'scripts', 'test']
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true }).map((file) => `${folder}/${String(file).replaceAll('\\', '/')}`),
    )
    const tests = files.filter((file) => /\.(test|spec)\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    expect(tests.length).toBeGreaterThan(100)
    expect(tests.filter((file) => routeOf(file) === undefined)).toEqual([])
  })
})
