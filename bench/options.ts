import { parseArgs } from 'node:util'
import { oneOf } from '../scripts/options'
import type { EngineName } from './engines'

export interface BenchOptions {
  readonly help: boolean
  /** The commit to compare with. */
  readonly against: string | undefined
  readonly quick: boolean
  readonly only: EngineName | undefined
  readonly out: string | undefined
}

/** How much is measured. */
export interface Scale {
  readonly rounds: number
  /** How many of the rounds run before all servers start again: V8 optimises each process a little differently. */
  readonly roundsOfAStart: number
  /** CPU that one measurement of a row takes. */
  readonly sliceMs: number
  /** Requests in one measurement of a row that sends each request once. */
  readonly freshTokens: number
  readonly payments: number
  readonly outgoing: number
}

export const WHOLE: Scale = {
  rounds: 8,
  roundsOfAStart: 4,
  sliceMs: 1_000,
  freshTokens: 1_000,
  payments: 300,
  outgoing: 60,
}
export const QUICK: Scale = {
  rounds: 5,
  roundsOfAStart: 5,
  sliceMs: 250,
  freshTokens: 300,
  payments: 100,
  outgoing: 20,
}

export const HELP = `npm run bench -- [OPTIONS]

Measures the CPU time of a request (server and database) on the production build.

  (none)            Measures this commit on both databases and writes docs/benchmarks.md. About half an hour.
  --against COMMIT  Builds COMMIT too and runs both in alternating rounds. Exit code 1 if a row is worse: the median
                    ratio is above 1.10 and the range excludes 1.00. The report goes to .cache/bench/report.md.
                    About 45 minutes.
  --quick           ${QUICK.rounds} short rounds instead of ${WHOLE.rounds}, fewer rows: about 3 minutes on a quiet machine.
  --only ENGINE     postgres or embedded.
  --out FILE        Writes the report to FILE.
  --help            Shows this text.

A busy machine makes the ranges wide. Run nothing else.`

/** @throws Error that says which argument is wrong. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...args],
    options: { help: flag, against: text, quick: flag, only: text, out: text },
  })
  if (values.against?.startsWith('-') === true || values.against === '') throw new Error('--against takes a commit.')
  return {
    help: values.help,
    against: values.against,
    quick: values.quick,
    only: oneOf('only', values.only, ['postgres', 'embedded']),
    out: values.out,
  }
}
