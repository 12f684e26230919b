import { numberOption, oneOf, parseCommandLine, type Command } from '../scripts/options'
import type { EngineName } from './engines'

export interface BenchOptions {
  /** The commit to compare with. */
  readonly against: string | undefined
  /** Parts of the names of rows. Empty: all. */
  readonly only: readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly engine: EngineName | undefined
  readonly beside: 'lnbits' | undefined
  /** Measures only single statements on full tables. */
  readonly statements: boolean
  /** Measures only what users wait for. */
  readonly waits: boolean
}

const DEFAULTS = { rounds: '3', seconds: '2' }

export const BENCH = {
  usage: 'npm run bench [-- OPTIONS]',
  does: 'Measures the CPU time of a request (server and database) on the production build.',
  options: {
    against: { takes: 'COMMIT', about: 'Build COMMIT too, and run both in turn. A row that it lacks reads "–".' },
    only: { takes: 'ROWS', about: 'Measure only rows whose names contain one of these texts (with commas between).' },
    rounds: { takes: 'NUMBER', about: `Rounds of each row. Default: ${DEFAULTS.rounds}.` },
    seconds: { takes: 'NUMBER', about: `Length of one measurement. Default: ${DEFAULTS.seconds}.` },
    engine: { takes: 'ENGINE', about: 'Use one database: postgres or embedded.' },
    beside: { takes: 'lnbits', about: 'Measure LNbits too, installed from PyPI into .cache. It needs Python.' },
    statements: {
      about: 'Print the slowest statements and upkeep on full tables, on the embedded database (2 minutes).',
    },
    waits: { about: 'Measure only what users wait for, and the memory of the demo (10 minutes).' },
  },
  notes: [
    `A whole run (neither --only nor --engine) takes up to 45 minutes and writes docs/benchmarks.md. Rows without time
left read "–". A busy machine makes the ranges wide, so run nothing else.`,
    `With --against, a row is "worse" if CPU grew by more than a tenth in every round. It is "not settled" if the rounds
disagree, or after one round. Exit code 1: a row is worse, or a wait in the browser is above its bound.`,
  ],
  examples: [
    'npm run bench -- --against HEAD~1',
    'npm run bench -- --against HEAD~1 --only "get /balance, page" --rounds 5',
    'npm run bench -- --beside lnbits --only lnbits',
  ],
} as const satisfies Command

/** @throws Error that says which argument is wrong. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseCommandLine(BENCH, args)
  const { against, only = '', engine, beside, statements = false, waits = false } = values
  const { rounds = DEFAULTS.rounds, seconds = DEFAULTS.seconds } = values
  if (against?.startsWith('-') === true || against === '') throw new Error('--against takes a commit.')
  if ((statements || waits) && args.length > 1)
    throw new Error(`--${statements ? 'statements' : 'waits'} takes no other option.`)
  return {
    against,
    only: only
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
    rounds: numberOption('rounds', rounds, { least: 1, whole: true }),
    seconds: numberOption('seconds', seconds, { least: 0.1 }),
    engine: oneOf('engine', engine, ['postgres', 'embedded']),
    beside: oneOf('beside', beside, ['lnbits']),
    statements,
    waits,
  }
}
