import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest files. Without measurements from an earlier run, vitest starts with the largest file. Several of these files are
 * small, and if one of them starts last, the other worker is idle.
 */
const LONGEST = [
  ...['postgres', 'exhaustive', 'random', 'races', 'planted'].map((name) => `/test/simulation/${name}.sim.test.ts`),
  ...['crash-points', 'kill', 'demo-starts', 'embedded', 'demo', 'stopping', 'http', 'users'].map(
    (name) => `/test/process/${name}.process.test.ts`,
  ),
  ...[
    'lib/platform/db/statements',
    'lib/sandbox/test-values/test-values',
    'scripts/users',
    'lib/payments/completion-waiters',
    'lib/quotes/two-vasps',
    'lib/quotes/same-currency',
    'lib/payments/lost-database',
    'lib/lightning/simulated-node/limits',
    'lib/lightning/simulated-node/busy-peer',
  ].map((name) => `/${name}.db.test.ts`),
  '/scripts/patterns.test.ts',
]

/**
 * Starts the longest files first, so that the two workers end at about the same time; all others in the usual order.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? LONGEST.length : found
    }
    return usual.toSorted((a, b) => place(a) - place(b))
  }
}
