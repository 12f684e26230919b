import type { TestArguments } from './arguments'
import type { Plan } from './plan'

/** What the commands of a stage have counted. */
export interface StageResult {
  readonly name: string
  seconds: number
  passed: number
  skipped: number
  readonly failures: string[]
  /** Why the stage was skipped, if it cannot run on this machine. */
  readonly missing: string | undefined
}

const NO_POSTGRES = 'Without PostgreSQL, tests are skipped: install it (Debian: postgresql), or set TEST_DATABASE_URL.'

/** The last lines of a run. CI reads the very last one, which holds the counts alone. */
export function summaryOf(results: readonly StageResult[], { stages, leftOut }: Plan, { noSkips }: TestArguments) {
  const total = (key: 'passed' | 'skipped' | 'seconds'): number => results.reduce((sum, each) => sum + each[key], 0)
  const failures = results.flatMap(({ name, failures: own }) => own.map((failure) => `  ${name}: ${failure}`))
  const missing = results.flatMap((result) => result.missing ?? [])
  const skipped = total('skipped')
  const missed = stages.slice(results.length).map(({ name }) => name)
  const skipsFail = noSkips && skipped > 0
  const lines = [
    failures.length > 0 && `\nFailed:\n${failures.join('\n')}`,
    `\n${results.map((each) => `${each.name} ${each.seconds.toFixed(1)} s · `).join('')}total ${(total('seconds') / 60).toFixed(1)} min`,
    ...missing,
    skipped > missing.length && NO_POSTGRES,
    skipsFail && 'The run fails because of --no-skips.',
    missed.length > 0 && `Not reached: ${missed.join(', ')}. The run has failed.`,
    leftOut.length > 0 && `Stages not run: ${leftOut.map(({ name }) => name).join(', ')}. Use --all.`,
    countsText(total('passed'), failures.length, skipped),
  ].filter((line) => line !== false)
  return { lines, exitCode: failures.length > 0 || skipsFail || missed.length > 0 ? 1 : 0 }
}

export function countsText(passed: number, failed: number, skipped: number): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
