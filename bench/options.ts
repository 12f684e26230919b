import { oneOf, parseCommandLine, type Command } from '../scripts/options'
import type { EngineName } from './engines'

export interface BenchOptions {
  /** The commit to compare with. */
  readonly against: string | undefined
  readonly quick: boolean
  readonly only: EngineName | undefined
  /** Measures only the cost of events. */
  readonly events: boolean
  /** Measures only single statements on full tables. */
  readonly statements: boolean
  /** Measures only what users wait for. */
  readonly waits: boolean
  readonly out: string | undefined
}

/** How much is measured. */
export interface Scale {
  readonly rounds: number
  /** How many rounds run before all servers start again, because V8 optimizes each process a little differently. */
  readonly roundsOfAStart: number
  /** CPU time that one measurement of a row takes. */
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

export const BENCH = {
  usage: 'npm run bench [-- OPTIONS]',
  does: 'Measures the CPU time of a request (server and database) on the production build.',
  options: {
    against: { takes: 'COMMIT', about: 'Build COMMIT too, and run both in alternating rounds (45 minutes).' },
    quick: { about: `Run ${QUICK.rounds} short rounds instead of ${WHOLE.rounds}, with fewer rows (3 minutes).` },
    only: { takes: 'ENGINE', about: 'Use one database: postgres or embedded.' },
    events: { about: 'Measure only the cost of events, on PostgreSQL (5 minutes).' },
    statements: {
      about: 'Print the slowest statements and upkeep on full tables, on the embedded database (2 minutes).',
    },
    waits: { about: 'Measure only what users wait for, and the memory of the demo (10 minutes).' },
    out: { takes: 'FILE', about: 'Write the report to FILE.' },
  },
  notes: [
    `Without options it measures this commit on both databases and writes docs/benchmarks.md (30 minutes). With --against or
--events the report is written to .cache/bench/report.md. A busy machine makes the ranges wide, so run nothing else.`,
    `Exit code 1: a row is worse than in COMMIT. Its median ratio is above 1.10 and its range excludes 1.00. An overload was
handled too slowly. With --waits: a figure is above its bound.`,
  ],
  examples: ['npm run bench -- --quick', 'npm run bench -- --events', 'npm run bench -- --against HEAD~1'],
} as const satisfies Command

/** @throws Error that says which argument is wrong. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseCommandLine(BENCH, args)
  const { against, quick = false, only, events = false, statements = false, waits = false, out } = values
  if (against?.startsWith('-') === true || against === '') throw new Error('--against takes a commit.')
  if (events && (against !== undefined || only !== undefined))
    throw new Error('--events takes neither --against nor --only.')
  if (statements && args.length > 1) throw new Error('--statements takes no other option.')
  if (waits && args.length > 1) throw new Error('--waits takes no other option.')
  return { against, quick, events, statements, waits, only: oneOf('only', only, ['postgres', 'embedded']), out }
}
