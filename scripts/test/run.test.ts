import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive } from '@/test/programs/is-alive'
import { runStages } from './run'
import { vitest, type Command } from './runners'
import type { Stage } from './stages'
import { summaryOf } from './summary'

const LIMIT_MS = 60_000
const CHOICE = { all: false, noSkips: false, only: [], files: [] }

let folder: string
let written: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-stages-'))
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { name: 'tiny', globals: true, teardownTimeout: 500 } }`,
  )
  written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** Writes test files and returns a run of vitest on them. */
function project(files: Readonly<Record<string, string>>): Command {
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), code)
  return vitest('tiny', ['--root', folder])
}

/** Node with this code. */
const code = (text: string): Command => {
  const env = { LOG: join(folder, 'log') }
  return { name: 'code', program: process.execPath, args: ['-e', text], env, writesReport: false }
}
const LOG_ONE = `fs.appendFileSync(process.env.LOG, 'x');`
const logged = (): string => readFileSync(join(folder, 'log'), 'utf8')

const stage = (name: string, ...run: Command[]): Stage => ({ name: `run-test/${name}`, run })

async function end(stages: Stage[], ends = AbortSignal.timeout(LIMIT_MS)) {
  const results = await runStages(stages, ends)
  const of = (noSkips: boolean) => summaryOf(results, { stages, leftOut: [] }, { ...CHOICE, noSkips })
  return { results, ...of(false), strict: of(true) }
}

describe('a run of stages', { timeout: 180_000 }, () => {
  it('a run of vitest is counted, its failures are listed, and its output is shown and logged', async () => {
    const command = project({
      good: `it('one', () => {}); it('two', () => {})`,
      bad: `describe('group', () => { it('fails', () => { throw new Error('wrong') }) })`,
      skips: `it.skip('skipped', () => {}); it.todo('open')`,
      teardown: `describe('torn', () => { afterAll(() => { throw new Error('late') }); it('three', () => {}) })`,
      broken: `throw new Error('not loaded')`,
    })
    const { results, lines, exitCode } = await end([stage('counts', command)])
    expect(results).toMatchObject([{ passed: 3, skipped: 2 }])
    expect(results[0]?.failures.toSorted()).toEqual([
      'FAIL  |tiny| bad.test.js > group > fails',
      'FAIL  |tiny| broken.test.js [ broken.test.js ]',
      'FAIL  |tiny| teardown.test.js > torn',
    ])
    expect(exitCode).toBe(1)
    expect(lines[0]).toContain('run-test/counts: FAIL  |tiny| bad.test.js > group > fails')
    expect(lines.at(-1)).toBe('3 passed, 3 failed, 2 skipped')
    expect(written).toContain('Error: wrong')
    expect(readFileSync('.cache/test/run-test/counts.log', 'utf8')).toContain('Error: wrong')
  })

  it('a run that only skips is good, except with --no-skips', async () => {
    const command = project({ skips: `it('one', () => {}); it.skip('skipped', () => {})` })
    const { lines, exitCode, strict } = await end([stage('skips', command)])
    expect([exitCode, lines.at(-1)]).toEqual([0, '1 passed, 0 failed, 1 skipped'])
    expect(strict.exitCode).toBe(1)
    expect(strict.lines).toContain('The run fails because of --no-skips.')
  })

  it.each(['await new Promise(() => {})', 'for (;;);'])(
    'a test that hangs in %s ends with its process, by name',
    async (wait) => {
      const pid = join(folder, 'pid')
      const command = project({
        hangs: `const write = require('node:fs').writeFileSync
      it('waits', { timeout: 0 }, async () => { await new Promise((done) => setTimeout(done, 300)); write('${pid}', String(process.pid)); ${wait} })`,
      })
      const interrupt = new AbortController()
      const ended = end([stage('hangs', command), stage('next')], interrupt.signal)
      await vi.waitFor(() => readFileSync(pid), { timeout: LIMIT_MS })
      interrupt.abort()
      const { results, lines, exitCode } = await ended
      expect(results.map(({ failures }) => failures)).toEqual([['FAIL  hangs.test.js had not ended: waits']])
      expect(lines).toContain('Not reached: run-test/next. The run has failed.')
      expect(exitCode).toBe(1)
      await vi.waitFor(() => expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false), { timeout: LIMIT_MS })
    },
  )

  it('the time limit is one for all stages: it ends a command, and no other begins', async () => {
    const never = code(`process.on('SIGINT', () => process.exit(0)); setInterval(() => {}, 1000)`)
    const stages = [stage('one', code('')), stage('never', never), stage('late', code(''))]
    const { results, lines, exitCode } = await end(stages, AbortSignal.timeout(1_000))
    expect(results).toMatchObject([{ failures: [] }, { passed: 0, failures: ['code had not ended'] }])
    expect(lines).toContain('Not reached: run-test/late. The run has failed.')
    expect(exitCode).toBe(1)
  })

  it('a command that cannot start, or that ends well without its report, has failed', async () => {
    const { results } = await end([
      stage('absent', { ...code(''), program: join(folder, 'absent') }),
      stage('silent', { ...code(''), writesReport: true }),
    ])
    expect(results.map(({ failures }) => failures)).toEqual([['code failed'], ['code wrote no report']])
  })

  it('a process that a command leaves behind does not keep its stage open', async () => {
    const spawn = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })`
    const { results } = await end([
      stage('leaves', code(`${spawn}; fs.writeFileSync(process.env.LOG, String(pid)); process.exit()`)),
    ])
    process.kill(Number(logged()), 'SIGKILL')
    expect(results).toMatchObject([{ passed: 1, failures: [] }])
  })

  it('a stage that lacks something is one skip with one line', async () => {
    const { lines, exitCode, strict } = await end([
      { ...stage('lacks', code('')), missing: () => 'There is no Python.' },
    ])
    expect(written).toContain('[1/1] run-test/lacks · There is no Python. · 0.0 s\n')
    expect(lines.slice(1)).toEqual(['There is no Python.', '0 passed, 0 failed, 1 skipped'])
    expect([exitCode, strict.exitCode]).toEqual([0, 1])
  })

  it('each file is repeated as often as asked, up to the first failure', async () => {
    const third = code(
      `${LOG_ONE} if (logged().length > 4) process.exit(1); function logged() { return fs.readFileSync(process.env.LOG, 'utf8') }`,
    )
    const stages = ['one', 'two', 'never'].map((name) => ({ ...stage(name, third), repeat: 3 }))
    const { results } = await end(stages)
    expect(results).toMatchObject([{ passed: 3 }, { passed: 1, failures: ['code failed'] }])
    expect(written).toContain('[1/3] run-test/one · 3 of 3 passed · 3 passed, 0 failed')
    expect(written).toContain('[2/3] run-test/two · 1 of 3 passed · 1 passed, 1 failed')
    expect(logged()).toBe('xxxxx')
  })

  it('keeps the npm registry out of reach of a stage that does not say that it needs it', async () => {
    vi.stubEnv('npm_config_registry', undefined)
    const show = code(`fs.appendFileSync(process.env.LOG, (process.env.npm_config_registry ?? 'as usual') + ' ')`)
    await end([stage('without', show), { ...stage('needing', show), needsRegistry: 'the npm registry' }])
    expect(logged()).toBe('http://127.0.0.1:9 as usual ')
  })
})

it('the closing lines name what was left out and what was not reached, which fails', () => {
  const stages = [stage('one'), stage('two')]
  const results = [{ name: 'run-test/one', seconds: 60, passed: 5, skipped: 0, failures: [], missing: undefined }]
  const { lines, exitCode } = summaryOf(results, { stages, leftOut: [stage('load')] }, CHOICE)
  expect([lines, exitCode]).toEqual([
    [
      '\nrun-test/one 60.0 s · total 1.0 min',
      'Not reached: run-test/two. The run has failed.',
      'Stages not run: run-test/load. Use --all.',
      '5 passed, 0 failed',
    ],
    1,
  ])
  expect(summaryOf(results, { stages: stages.slice(0, 1), leftOut: [] }, CHOICE).exitCode).toBe(0)
})
