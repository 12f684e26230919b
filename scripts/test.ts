import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findBrowser } from './browser'
import { ensureBuild } from '../sandbox/build'

// Every check and every test, in the order in which a failure is cheapest to find. `--no-skips` fails on any skip.
interface Counts {
  passed: number
  failed: number
  skipped: number
}

const NONE: Counts = { passed: 0, failed: 0, skipped: 0 }
const folder = mkdtempSync(join(tmpdir(), 'test-report-'))
const times: string[] = []
const total = { ...NONE }
/** Told once more at the end: a long run has scrolled away by then. */
const failures: string[] = []

const stages: readonly (readonly [string, () => Counts])[] = [
  ['format', () => check('node_modules/prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.'])],
  ['lint', () => check('node_modules/oxlint/bin/oxlint', ['--type-aware', '--deny-warnings'])],
  ['types', () => check('node_modules/typescript/bin/tsc', ['--noEmit'])],
  ['unit', () => vitest('unit')],
  ['database', () => vitest('db', 'database')],
  ['input', () => vitest('input')],
  ['simulation', () => vitest('simulation')],
  ['build', buildStage],
  ['load', () => vitest('load')],
  ['browser', browserStage],
]

for (const [name, run] of stages) {
  console.log(`\n── ${name}`)
  const startedAt = Date.now()
  const counts = run()
  times.push(`${name} ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += counts[key]
  if (counts.failed > 0) failures.push(...failedTests(name))
}
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((each) => `  ${each}`).join('\n')}`)
console.log(`\n${times.join(' · ')}`)
if (total.skipped > 0)
  console.log(
    `${total.skipped} skipped: no Postgres. Install one (Debian: postgresql), or name one in TEST_DATABASE_URL.`,
  )
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`)
const skipsCount = process.argv.includes('--no-skips') && total.skipped > 0
rmSync(folder, { recursive: true, force: true })
process.exit(total.failed > 0 || skipsCount ? 1 : 0)

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  return (
    spawnSync(process.execPath, args, {
      stdio: 'inherit',
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    }).status === 0
  )
}

function check(script: string, args: readonly string[]): Counts {
  return node([script, ...args]) ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 }
}

function vitest(project: string, stage = project): Counts {
  const file = reportOf(stage)
  const passed = node([
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    project,
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ])
  const report = readReport(file) as {
    numPassedTests?: number
    numFailedTests?: number
    numPendingTests?: number
    numTodoTests?: number
  }
  const failed = report.numFailedTests ?? 0
  return {
    passed: report.numPassedTests ?? 0,
    // A file that cannot be loaded has no failed test, and still fails the run.
    failed: passed ? failed : Math.max(1, failed),
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  }
}

function buildStage(): Counts {
  try {
    ensureBuild((line) => console.log(line))
    return { ...NONE, passed: 1 }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { ...NONE, failed: 1 }
  }
}

function browserStage(): Counts {
  const file = reportOf('browser')
  try {
    const env = { PLAYWRIGHT_CHROMIUM_PATH: findBrowser((line) => console.log(line)), PLAYWRIGHT_JSON: file }
    const passed = node(['node_modules/@playwright/test/cli.js', 'test'], env)
    const { stats } = readReport(file) as {
      stats?: { expected: number; unexpected: number; flaky: number; skipped: number }
    }
    const failed = (stats?.unexpected ?? 0) + (stats?.flaky ?? 0)
    return { passed: stats?.expected ?? 0, failed: passed ? failed : Math.max(1, failed), skipped: stats?.skipped ?? 0 }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { ...NONE, failed: 1 }
  }
}

function reportOf(stage: string): string {
  return join(folder, `${stage}.json`)
}

/** The names of a stage's failed tests; the stage's own where its report names none: a file that cannot be loaded, say. */
function failedTests(stage: string): string[] {
  const { testResults = [], suites = [] } = readReport(reportOf(stage)) as VitestReport & PlaywrightSuite
  const names = [
    ...testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${relative(process.cwd(), name)} › ${fullName}`),
    ),
    ...suites.flatMap(failedSpecs),
  ]
  return (names.length > 0 ? names : ['see above']).map((name) => `${stage}: ${name}`)
}

interface VitestReport {
  readonly testResults?: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[]
  readonly specs?: readonly { readonly ok: boolean; readonly title: string; readonly file: string }[]
}

function failedSpecs({ suites = [], specs = [] }: PlaywrightSuite): string[] {
  return [
    ...specs.filter(({ ok }) => !ok).map(({ file, title }) => `${file} › ${title}`),
    ...suites.flatMap(failedSpecs),
  ]
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
