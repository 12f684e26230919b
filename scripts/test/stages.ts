import { missingPythonSdk } from '../../test/parties/python-sdk'
import { missingPackages } from '../../test/programs/debian'
import { missingLnd } from '../../test/programs/lnd'
import { missingNode, nodeBinary } from '../../test/programs/node-binary'
import { seedOfCommit } from './commit-seed'
import { npm, playwright, vitest, type Command } from './runners'

export interface Stage {
  readonly name: string
  /** Measured on a quiet two-core machine. Update it from the times that a run prints at its end. */
  readonly seconds?: number
  /** For `--help`. */
  readonly about?: string
  /** Whether `npm test` runs it without options. */
  readonly isDefault?: boolean
  /** The smaller default stage that `--all` replaces by this one. */
  readonly replaces?: string
  /** Where it fetches packages. All other stages run without a network, and the npm registry is out of their reach. */
  readonly needsRegistry?: 'the npm registry' | 'PyPI' | 'the Go module proxy'
  /** Says in one line what this machine lacks, after an attempt to fetch it. The stage then counts as one skip. */
  readonly missing?: () => string | undefined
  /** The first that fails ends the stage. */
  readonly run: readonly Command[]
  /** How often to run the commands beside two busy loops. */
  readonly repeat?: number
}

const DEFAULT = ['format', 'lint', 'types', 'unit', 'database', 'simulation', 'build', 'process', 'browser']

/** Without `run`, a stage runs the project of its name, or of the stage that it replaces. */
const stage = (name: string, seconds: number, about: string, more: Partial<Stage> = {}): Stage => {
  return { name, seconds, about, isDefault: DEFAULT.includes(name), run: [vitest(more.replaces ?? name)], ...more }
}

const onEngines = (TEST_ENGINES: 'one' | 'both'): [Command] => [vitest('db', [], { env: { TEST_ENGINES } })]

/** Fewer random schedules, and none aimed at rare pairs of fault and place. */
const randomSchedules = (seed: Command['env'] = {}): Command => {
  const env = { SIMULATE_SCHEDULES: '200', SIMULATE_MIN_PER_CELL: '0', ...seed }
  return vitest('simulation', ['test/simulation/random.sim.test.ts'], { env })
}

const onNode = (version: string): Partial<Stage> => {
  const node = { program: nodeBinary(version) }
  const payment = vitest('process', ['test/process/payment.process.test.ts'], node)
  const run = [vitest('unit', [], node), vitest('package', ['examples/express.package'], node), payment]
  return { needsRegistry: 'the npm registry', missing: () => missingNode(version), run }
}

/** In the order in which a failure is cheapest to find. */
export const STAGES: readonly Stage[] = [
  stage('format', 15, 'prettier', { run: [npm('format:check')] }),
  stage('lint', 6, 'oxlint, type-aware', { run: [npm('lint')] }),
  stage('types', 5, 'TypeScript', { run: [npm('types')] }),
  stage('unit', 105, 'tests without a database (*.test.ts)', { run: [vitest('unit', ['--project=patterns'])] }),
  stage('database', 175, 'tests on a database (*.db.test.ts), one engine: PostgreSQL where installed, else embedded', {
    run: onEngines('one'),
  }),
  stage('database-both', 285, 'the same tests on both engines', { replaces: 'database', run: onEngines('both') }),
  stage('input', 13, 'thousands of unusual inputs (*.input.test.ts)'),
  stage(
    'deploy',
    10,
    'deploy/: systemd units, Caddy sites, backup, alert rules, by their own tools (*.deploy.test.ts)',
    {
      missing: () => missingPackages(['caddy', 'promtool', 'python3', 'systemd-analyze']),
    },
  ),
  stage('simulation', 12, 'a few rounds of the payment simulation', { run: [randomSchedules()] }),
  stage('simulation-full', 140, 'all rounds, and the planted bugs that they must find (*.sim.test.ts)', {
    replaces: 'simulation',
  }),
  stage('simulation-commit', 13, '200 more rounds; the seed is the hash of the commit, or of the sources without git', {
    run: [randomSchedules({ TEST_SEED: String(seedOfCommit()) })],
  }),
  stage('mutations', 60, 'five planted faults, chosen by the hash of the commit, which tests must find', {
    run: [npm('mutations', '--sample=5')],
  }),
  stage('build', 20, 'production build', { run: [npm('build', '--if-changed')] }),
  stage('process', 55, 'the demo and its commands, as processes without a browser', {
    run: [vitest('process', ['test/process/demo'])],
  }),
  stage('process-all', 230, 'all tests of processes without a browser (*.process.test.ts)', { replaces: 'process' }),
  stage('browser', 130, 'the flows that the README promises', { run: [playwright('--project=promises')] }),
  stage('browser-all', 475, 'all browser tests (e2e/**/*.spec.ts)', { replaces: 'browser', run: [playwright()] }),
  stage('package', 130, 'the published packages on three frameworks; the image; a guide’s CI job', {
    needsRegistry: 'the npm registry',
  }),
  stage('proxies', 125, "a rolling restart behind Debian's Caddy, pgbouncer, a fail-over (*.proxy.test.ts)", {
    missing: () => missingPackages(['caddy', 'curl', 'pgbouncer']),
  }),
  stage('parties', 30, 'payments with a VASP on the Python SDK for UMA, as a process (*.party.test.ts)', {
    needsRegistry: 'PyPI',
    missing: missingPythonSdk,
  }),
  stage('lnd', 160, 'real LND nodes and a VASP, cut off and killed (*.lnd.test.ts)', {
    needsRegistry: 'the Go module proxy',
    missing: missingLnd,
  }),
  stage('load', 225, 'the production build under load, and idle (*.load.test.ts)'),
  stage('conformance', 155, 'the conformance kit: the production build passes, and planted mistakes are found'),
  stage('kills', 67, 'two servers under load, killed again and again; the database restarts once', {
    run: [npm('soak', '--minutes=0.85', '--kill-minutes=0.25', '--restart-minutes=0.5', '--check-minutes=0.25')],
  }),
  stage('node-20.19', 107, 'unit tests, Express example, a payment on the oldest supported Node', onNode('20.19.0')),
  stage('node-26', 85, 'the same on the newest Node', onNode('26.10.0')),
]
