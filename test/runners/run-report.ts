import { writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node'

/** The report of a vitest or Playwright run that `npm test` reads. */
export interface RunReport {
  readonly passed: number
  readonly skipped: number
  /**
   * One line each with position and reason: failed tests, failed set-up or teardown of files and groups, and uncaught
   * errors.
   */
  readonly failures: readonly string[]
  /** The slowest files with their milliseconds, slowest first. */
  readonly slowest: readonly (readonly [file: string, tookMs: number])[]
}

/** The variable with the path of the report. Without it none is written. */
export const REPORT_FILE = 'VITEST_REPORT'
/** The variable with the path for a line of progress, rewritten repeatedly. Without it none is written. */
export const PROGRESS_FILE = 'TEST_PROGRESS'
/** The time at which the run is abandoned, in milliseconds since 1970. Without it the run has no time limit. */
export const GIVE_UP_AT_MS = 'VITEST_GIVE_UP_AT_MS'

const SLOWEST = 5

/**
 * Writes a report with every failure. Vitest's own JSON counts tests only: a run that fails because a file cannot be
 * loaded, a group fails in its teardown, or an error is uncaught has no failed test. The report of an abandoned run
 * names the tests that had not ended.
 */
export default class RunReporter implements Reporter {
  readonly #modules = new Map<string, TestModule>()
  readonly #running = new Set<TestCase>()
  readonly #counts = { files: 0, filesDone: 0, tests: 0, failed: 0 }

  onInit(vitest: Vitest): void {
    const giveUpAtMs = Number(process.env[GIVE_UP_AT_MS])
    if (giveUpAtMs > 0) setTimeout(() => this.#giveUp(vitest), giveUpAtMs - Date.now()).unref()
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#counts.files = files.length
  }

  onTestModuleEnd(): void {
    this.#counts.filesDone += 1
    this.#sayProgress()
  }

  onTestModuleQueued(module: TestModule): void {
    this.#modules.set(module.moduleId, module)
  }

  /** A different object from the one that was queued. */
  onTestModuleCollected(module: TestModule): void {
    this.#modules.set(module.moduleId, module)
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.add(test)
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.delete(test)
    this.#counts.tests += 1
    if (test.result().state === 'failed') this.#counts.failed += 1
    this.#sayProgress()
  }

  #sayProgress(): void {
    const { files, filesDone, tests, failed } = this.#counts
    writeProgress([`${filesDone} of ${files} files`, `${tests} tests`, ...(failed > 0 ? [`${failed} failed`] : [])])
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    writeReport(reportOf(modules, unhandledErrors))
  }

  #giveUp(vitest: Vitest): void {
    const modules = [...this.#modules.values()]
    const report = reportOf(modules, [])
    const unfinished = modules.filter((module) => ['queued', 'pending'].includes(module.state()))
    const failures = unfinished.map(
      (module) =>
        `${module.relativeModuleId} had not ended: ${this.#testsOf(module) || 'no test runs, it is between them'}`,
    )
    writeReport({
      ...report,
      failures: [...report.failures, ...(failures.length > 0 ? failures : ['the run had not ended'])],
    })
    process.exitCode = 1
    void vitest.exit(true)
  }

  #testsOf(module: TestModule): string {
    return [...this.#running]
      .filter((test) => test.module.moduleId === module.moduleId)
      .map((test) => test.fullName)
      .join('; ')
  }
}

export function writeReport(report: RunReport): void {
  const file = process.env[REPORT_FILE]
  if (file !== undefined) writeFileSync(file, JSON.stringify(report))
}

export function writeProgress(parts: readonly string[]): void {
  const file = process.env[PROGRESS_FILE]
  if (file !== undefined) writeFileSync(file, parts.join(', '))
}

function reportOf(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): RunReport {
  const all = modules.flatMap((module) => [...module.children.allTests()])
  const count = (state: 'passed' | 'skipped'): number => all.filter((test) => test.result().state === state).length
  return {
    passed: count('passed'),
    skipped: count('skipped'),
    failures: [...modules.flatMap(failuresOf), ...unhandledErrors.map((error) => `not caught: ${firstLines(error)}`)],
    slowest: modules
      .map((module) => [module.relativeModuleId, tookMs(module)] as const)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, SLOWEST),
  }
}

/** The time for loading the file, for the set-up and teardown of its groups, and for its tests. */
function tookMs(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()
  return Math.round(collectDuration + duration)
}

function failuresOf(module: TestModule): string[] {
  const where = module.relativeModuleId
  return [
    ...module.errors().map((error) => `${where}: ${firstLines(error)}`),
    ...[...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map((error) => `${where} › ${suite.fullName}: ${firstLines(error)}`),
    ),
    ...[...module.children.allTests('failed')].map(
      (test) => `${where} › ${test.fullName}: ${(test.result().errors ?? []).map(firstLines).join('; ')}`,
    ),
  ]
}

/** The error's message and the first line of our code in its stack. Any value can be thrown, so both may be missing. */
function firstLines({ message = '', stack = '' }: Partial<SerializedError>): string {
  const place = stack.split('\n').find((line) => line.includes('    at ') && !line.includes('node_modules'))
  return [message.split('\n').slice(0, 3).join(' '), place?.trim() ?? ''].filter((part) => part !== '').join(' ')
}
