import { writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/** What `scripts/test.ts` reads of a run. */
export interface RunReport {
  readonly passed: number
  readonly skipped: number
  /** Where and why, a line each: failed tests, files and groups whose set-up or end failed, and what nobody caught. */
  readonly failures: readonly string[]
}

/** Where the report goes; none is written without it. */
export const REPORT_FILE = 'VITEST_REPORT'

/**
 * Writes a report that leaves no failure out. Vitest's own JSON counts tests alone: a run that fails by a file which
 * cannot be loaded, by the end of a group or by an error that nobody caught has none that failed there.
 */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const file = process.env[REPORT_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(reportOf(modules, unhandledErrors)))
  }
}

function reportOf(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): RunReport {
  const all = modules.flatMap((module) => [...module.children.allTests()])
  const count = (state: 'passed' | 'skipped'): number => all.filter((test) => test.result().state === state).length
  return {
    passed: count('passed'),
    skipped: count('skipped'),
    failures: [
      ...modules.flatMap(failuresOf),
      ...unhandledErrors.map((error) => `nobody caught: ${firstLines(error)}`),
    ],
  }
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

/** The error's own words where it has some, since anything can be thrown, and the first place of ours in its stack. */
function firstLines({ message = '', stack = '' }: Partial<SerializedError>): string {
  const place = stack.split('\n').find((line) => line.includes('    at ') && !line.includes('node_modules'))
  return [message.split('\n').slice(0, 3).join(' '), place?.trim() ?? ''].filter((part) => part !== '').join(' ')
}
