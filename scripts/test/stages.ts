import { missingPackages } from '../../test/programs/debian'
import { BROWSER_ALL, BROWSER_PROMISES, browserSteps } from './browser-steps'
import { seedOfCommit } from './commit-seed'
import { nodeVersionSteps } from './node-versions'
import { partySteps } from './party-steps'
import { Unavailable, checkStep, commandStep, vitestStep, type Step } from './step'

export type Registry = 'the npm registry' | 'PyPI'

export interface Stage {
  readonly name: string
  /** For `--help`. */
  readonly about: string
  /** Measured on a quiet two-core machine, in seconds. Update it from the times that a run prints at its end. */
  readonly seconds: number
  /** Whether `npm test` runs it without options. */
  readonly isDefault: boolean
  /** The smaller default stage that `--all` replaces by this one. */
  readonly replaces?: string
  readonly needsBuild?: boolean
  /** Where it fetches packages. All other stages run without a network, and the npm registry is out of their reach. */
  readonly needsRegistry?: Registry
  /** @throws Error when the stage cannot start, for example without a browser. */
  readonly steps: () => Promise<readonly Step[]> | readonly Step[]
}

/** The cache keeps which texts were well formatted. */
const CHECK_FORMAT = '--check --log-level=warn --cache --cache-strategy=content --cache-location=.cache/prettier .'

/** Fewer random schedules, and none aimed at rare pairs of fault and place. */
const randomSchedules = (env: Step['env'] = {}): Step =>
  vitestStep('simulation', {
    args: ['test/simulation/random.sim.test.ts'],
    env: { SIMULATE_SCHEDULES: '200', SIMULATE_MIN_PER_CELL: '0', ...env },
  })

/** In the order in which a failure is cheapest to find. */
export const STAGES: readonly Stage[] = [
  {
    name: 'format',
    about: 'prettier',
    seconds: 15,
    isDefault: true,
    steps: () => [checkStep('node_modules/prettier/bin/prettier.cjs', CHECK_FORMAT.split(' '))],
  },
  {
    name: 'lint',
    about: 'oxlint, type-aware',
    seconds: 6,
    isDefault: true,
    steps: () => [checkStep('node_modules/oxlint/bin/oxlint', ['--type-aware', '--deny-warnings'])],
  },
  {
    name: 'types',
    about: 'TypeScript',
    seconds: 5,
    isDefault: true,
    // Types of routes that are gone since the last build would fail.
    steps: () => [
      checkStep('node_modules/next/dist/bin/next', ['typegen']),
      checkStep('node_modules/typescript/bin/tsc', ['--noEmit']),
    ],
  },
  {
    name: 'unit',
    about: 'tests without a database (*.test.ts)',
    seconds: 105,
    isDefault: true,
    steps: () => [vitestStep('unit', { args: ['--project', 'patterns'] })],
  },
  {
    name: 'database',
    about: 'tests with a database (*.db.test.ts) on one engine: PostgreSQL where installed, else embedded',
    seconds: 175,
    isDefault: true,
    steps: () => [vitestStep('db', { env: { TEST_ENGINES: 'one' } })],
  },
  {
    name: 'database-both',
    about: 'the same tests on both engines',
    seconds: 420,
    isDefault: false,
    replaces: 'database',
    steps: () => [vitestStep('db', { env: { TEST_ENGINES: 'both' } })],
  },
  {
    name: 'input',
    about: 'thousands of unusual inputs (*.input.test.ts)',
    seconds: 13,
    isDefault: false,
    steps: () => [vitestStep('input')],
  },
  {
    name: 'simulation',
    about: 'a few rounds of the payment simulation',
    seconds: 12,
    isDefault: true,
    steps: () => [randomSchedules()],
  },
  {
    name: 'simulation-full',
    about: 'all rounds, and the planted bugs that they must find (*.sim.test.ts)',
    seconds: 160,
    isDefault: false,
    replaces: 'simulation',
    steps: () => [vitestStep('simulation')],
  },
  {
    name: 'simulation-commit',
    about: "200 more rounds; the seed is the commit's hash, or the hash of the sources where git is missing",
    seconds: 13,
    isDefault: false,
    steps: () => [randomSchedules({ TEST_SEED: String(seedOfCommit()) })],
  },
  {
    name: 'build',
    about: 'production build',
    seconds: 20,
    isDefault: true,
    steps: () => [checkStep('scripts/ready.mjs', ['scripts/build.ts', '--if-changed'])],
  },
  {
    name: 'process',
    about: 'the demo and its commands, as processes without a browser',
    seconds: 55,
    isDefault: true,
    needsBuild: true,
    steps: () => [vitestStep('process', { args: ['test/process/demo'] })],
  },
  {
    name: 'process-all',
    about: 'start, stop, kill, mounts, two instances: processes without a browser (*.process.test.ts)',
    seconds: 220,
    isDefault: false,
    replaces: 'process',
    needsBuild: true,
    steps: () => [vitestStep('process')],
  },
  {
    name: 'browser',
    about: 'the flows that the README promises',
    seconds: 130,
    isDefault: true,
    needsBuild: true,
    steps: () => browserSteps(BROWSER_PROMISES),
  },
  {
    name: 'browser-all',
    about: 'all browser tests (e2e/**/*.spec.ts)',
    seconds: 520,
    isDefault: false,
    replaces: 'browser',
    needsBuild: true,
    steps: () => browserSteps(BROWSER_ALL),
  },
  {
    name: 'package',
    about: 'the Express example on the packed package, and the packages of the image',
    seconds: 41,
    isDefault: false,
    needsBuild: true,
    needsRegistry: 'the npm registry',
    steps: () => [vitestStep('package')],
  },
  {
    name: 'proxies',
    about: "a rolling restart behind Debian's Caddy, and pgbouncer (*.proxy.test.ts)",
    seconds: 50,
    isDefault: false,
    needsBuild: true,
    steps: () => {
      const missing = missingPackages(['caddy', 'curl', 'pgbouncer'])
      if (missing !== undefined) throw new Unavailable(missing)
      return [vitestStep('proxies')]
    },
  },
  {
    name: 'parties',
    about: 'payments with a VASP on the Python SDK for UMA, as a process (*.party.test.ts)',
    seconds: 20,
    isDefault: false,
    needsBuild: true,
    needsRegistry: 'PyPI',
    steps: () => partySteps(),
  },
  {
    name: 'load',
    about: 'the production build under load, and idle (*.load.test.ts)',
    seconds: 233,
    isDefault: false,
    needsBuild: true,
    steps: () => [vitestStep('load')],
  },
  {
    name: 'conformance',
    about: 'the conformance kit: the production build passes, and planted mistakes are found',
    seconds: 91,
    isDefault: false,
    needsBuild: true,
    steps: () => [vitestStep('conformance')],
  },
  {
    name: 'kills',
    about: 'two servers under load, killed again and again; the database restarts once',
    seconds: 69,
    isDefault: false,
    needsBuild: true,
    steps: () => [
      commandStep('scripts/soak.ts', [
        '--minutes=0.85',
        '--kill-minutes=0.25',
        '--restart-minutes=0.5',
        '--check-minutes=0.25',
      ]),
    ],
  },
  {
    name: 'node-20.19',
    about: 'unit tests, Express example, a payment on the oldest supported Node',
    seconds: 118,
    isDefault: false,
    needsBuild: true,
    needsRegistry: 'the npm registry',
    steps: () => nodeVersionSteps('20.19.0'),
  },
  {
    name: 'node-26',
    about: 'the same on the newest Node',
    seconds: 87,
    isDefault: false,
    needsBuild: true,
    needsRegistry: 'the npm registry',
    steps: () => nodeVersionSteps('26.10.0'),
  },
]
