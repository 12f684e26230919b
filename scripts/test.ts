import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findBrowser } from './browser'
import { ensureBuild } from '../sandbox/build'
import { GIVE_UP_AT_MS, REPORT_FILE, type RunReport } from '../test/run-report'

// Every check and every test, in the order in which a failure is cheapest to find. `--no-skips` fails on any skip.
type Outcome = Pick<RunReport, 'passed' | 'skipped' | 'failures'>

/** A test that never ends is named after this long, for all stages together, instead of being waited for. */
const LONGEST_MIN = 80
const giveUpAtMs = Date.now() + LONGEST_MIN * 60_000

const folder = mkdtempSync(join(tmpdir(), 'test-report-'))
const times: string[] = []
let passed = 0
let skipped = 0
/** Told after its stage, and once more at the end: a long run has scrolled away by then. */
const failures: string[] = []

const stages: readonly (readonly [string, () => Outcome])[] = [
  ['format', () => check('node_modules/prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.'])],
  ['lint', () => check('node_modules/oxlint/bin/oxlint', ['--type-aware', '--deny-warnings'])],
  ['types', () => check('node_modules/typescript/bin/tsc', ['--noEmit'])],
  ['unit', () => vitest('unit')],
  ['database', () => vitest('db')],
  ['input', () => vitest('input')],
  ['simulation', () => vitest('simulation')],
  ['build', buildStage],
  ['load', () => vitest('load')],
  ['browser', () => browserStage('flows', 2)],
  ['browser, alone', () => browserStage('alone', 1)],
]

for (const [name, run] of stages) {
  console.log(`\n── ${name}`)
  const startedAt = Date.now()
  const outcome = startedAt < giveUpAtMs ? run() : one(false, `not run: ${LONGEST_MIN} minutes are over`)
  times.push(`${name} ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  passed += outcome.passed
  skipped += outcome.skipped
  const failed = outcome.failures.map((failure) => `${name}: ${stripVTControlCharacters(failure)}`)
  failures.push(...failed)
  console.log([...failed, times.at(-1)].join('\n'))
}
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((each) => `  ${each}`).join('\n')}`)
console.log(`\n${times.join(' · ')}`)
if (skipped > 0)
  console.log(`${skipped} skipped: no Postgres. Install one (Debian: postgresql), or name one in TEST_DATABASE_URL.`)
console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
rmSync(folder, { recursive: true, force: true })
process.exit(failures.length > 0 || (process.argv.includes('--no-skips') && skipped > 0) ? 1 : 0)

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  return (
    spawnSync(process.execPath, args, {
      stdio: 'inherit',
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    }).status === 0
  )
}

/** One thing that is well or not. */
function one(isWell: boolean, why = 'see above'): Outcome {
  return { passed: isWell ? 1 : 0, skipped: 0, failures: isWell ? [] : [why] }
}

function check(script: string, args: readonly string[]): Outcome {
  return one(node([script, ...args]))
}

function vitest(project: string): Outcome {
  const file = join(folder, `${project}.json`)
  const isWell = node(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      project,
      '--reporter=default',
      // One line a file; whoever keeps them needs no colours.
      ...(process.stdout.isTTY ? [] : ['--no-color']),
      '--slowTestThreshold=5000',
      '--reporter=./test/run-report.ts',
    ],
    { [REPORT_FILE]: file, [GIVE_UP_AT_MS]: String(giveUpAtMs) },
  )
  const report = readReport(file) as RunReport | undefined
  const slowest = report?.slowest.map(([name, tookMs]) => `${name} ${(tookMs / 1000).toFixed(1)} s`) ?? []
  console.log(`longest: ${slowest.join(' · ')}`)
  return told(report, isWell)
}

function buildStage(): Outcome {
  try {
    ensureBuild((line) => console.log(line))
    return one(true)
  } catch (error) {
    return one(false, error instanceof Error ? error.message : String(error))
  }
}

/** `project`: of playwright.config.ts. */
function browserStage(project: string, workers: number): Outcome {
  const file = join(folder, `browser-${project}.json`)
  try {
    const env = {
      PLAYWRIGHT_CHROMIUM_PATH: findBrowser((line) => console.log(line)),
      PLAYWRIGHT_JSON: file,
      PLAYWRIGHT_LONGEST_MS: String(Math.max(1, giveUpAtMs - Date.now())),
    }
    const isWell = node(
      ['node_modules/@playwright/test/cli.js', 'test', `--project=${project}`, `--workers=${workers}`],
      env,
    )
    const report = readReport(file) as PlaywrightReport | undefined
    const outcome = report && {
      passed: report.stats.expected,
      skipped: report.stats.skipped,
      failures: [...(report.errors ?? []).map(firstLine), ...failedSpecs(report)],
    }
    return told(outcome, isWell)
  } catch (error) {
    return one(false, error instanceof Error ? error.message : String(error))
  }
}

/** A run that failed has a failure, also where its report names none or there is no report. */
function told(outcome: Outcome | undefined, isWell: boolean): Outcome {
  if (outcome === undefined) return one(false, 'there is no report: see above')
  return isWell || outcome.failures.length > 0 ? outcome : { ...outcome, failures: ['see above'] }
}

interface PlaywrightReport extends PlaywrightSuite {
  readonly stats: { readonly expected: number; readonly skipped: number }
  /** Of no test: its set-up, say. */
  readonly errors?: readonly PlaywrightError[]
}

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[]
  readonly specs?: readonly {
    readonly ok: boolean
    readonly title: string
    readonly file: string
    readonly tests: readonly { readonly results: readonly { readonly error?: PlaywrightError }[] }[]
  }[]
}

interface PlaywrightError {
  readonly message?: string
}

function failedSpecs({ suites = [], specs = [] }: PlaywrightSuite): string[] {
  const why = (tests: (typeof specs)[number]['tests']): string =>
    tests
      .flatMap(({ results }) => results.flatMap(({ error }) => (error === undefined ? [] : firstLine(error))))
      .join('; ')
  return [
    ...specs.filter(({ ok }) => !ok).map(({ file, title, tests }) => `${file} › ${title}: ${why(tests)}`),
    ...suites.flatMap(failedSpecs),
  ]
}

function firstLine({ message = '' }: PlaywrightError): string {
  return message.split('\n')[0] ?? ''
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
