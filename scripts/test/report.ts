import type { Outcome } from './run-step'

export interface StageResult extends Outcome {
  readonly name: string
  readonly seconds: number
  /** Why the stage was skipped, if it cannot run on this machine. */
  readonly unavailable?: string
  /** How many runs of a repeated file passed. */
  readonly repeats?: string
}

/** What is printed at the end of a stage. */
export function stageLines(title: string, result: StageResult): string[] {
  const { failures, details, slowest, unavailable, repeats, seconds } = result
  const longest = slowest.filter(([, tookMs]) => tookMs > 5_000)
  return [
    [title, repeats, unavailable ?? counts(result), `${seconds.toFixed(1)} s`].filter(Boolean).join(' · '),
    ...(longest.length === 0
      ? []
      : [`  longest: ${longest.map(([file, tookMs]) => `${file} ${(tookMs / 1000).toFixed(1)} s`).join(', ')}`]),
    ...(details === '' ? [] : [indented(details)]),
    ...failures.map((failure) => `  ✗ ${failure}`),
  ]
}

export interface Summary {
  readonly results: readonly StageResult[]
  /** Stages of the plan that the run did not reach. */
  readonly missed: readonly string[]
  /** Stages of `--all` that the plan leaves out. */
  readonly leftOut: readonly string[]
  readonly all: boolean
  readonly noSkips: boolean
}

/** The last lines of a run. CI reads the very last one, which holds the counts alone. */
export function summaryLines({ results, missed, leftOut, all, noSkips }: Summary): string[] {
  const failures = results.flatMap(({ name, failures: own }) => own.map((failure) => `  ${name}: ${failure}`))
  const total = totalOf(results)
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0)
  const unavailable = results.flatMap((result) => (result.unavailable === undefined ? [] : [result.unavailable]))
  return [
    '',
    ...(failures.length === 0 ? [] : ['Failed:', ...failures, '']),
    `${results.map(({ name, seconds: took }) => `${name} ${took.toFixed(1)} s`).join(' · ')} · total ${(seconds / 60).toFixed(1)} min`,
    ...unavailable,
    ...(total.skipped > unavailable.length
      ? ['Tests are skipped where PostgreSQL is missing: install it (Debian: postgresql), or set TEST_DATABASE_URL.']
      : []),
    ...(noSkips && total.skipped > 0 ? ['The run fails because of --no-skips.'] : []),
    ...(missed.length === 0
      ? []
      : [`Not reached: ${missed.join(', ')}.${all ? ' The run fails because of --all.' : ''}`]),
    ...(leftOut.length === 0 ? [] : [`${countOf(leftOut)} not run: ${leftOut.join(', ')}. Use --all.`]),
    counts(total),
  ]
}

export function exitCodeOf({ results, missed, all, noSkips }: Summary): number {
  const { failures, skipped } = totalOf(results)
  return failures.length > 0 || (noSkips && skipped > 0) || (all && missed.length > 0) ? 1 : 0
}

function countOf({ length }: readonly string[]): string {
  return `${length} ${length === 1 ? 'stage' : 'stages'}`
}

type Counted = Pick<Outcome, 'passed' | 'skipped' | 'failures'>

function counts({ passed, skipped, failures }: Counted): string {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

export function totalOf(outcomes: readonly Counted[]): Counted {
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
