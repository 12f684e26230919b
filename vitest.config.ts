import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultServerConditions } from 'vite'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { moduleOf } from './scripts/markdown.mjs'
import { LongestFirst } from './test/runners/longest-first.ts'

const root = fileURLToPath(new URL('.', import.meta.url))
/** Imports from the root folder, and the packages from their sources, which they export with this condition. Documents as in the build. */
const resolving = {
  plugins: [
    {
      name: 'markdown',
      transform: (text: string, path: string) => (path.endsWith('.md') ? { code: moduleOf(text, path) } : undefined),
    },
  ],
  resolve: { alias: [{ find: /^@\//, replacement: root }] },
  ssr: { resolve: { conditions: ['uma-auth-source', ...defaultServerConditions] } },
}

const common = {
  // Fixes the seed of every random choice.
  setupFiles: ['test/runners/chance.ts'],
  // Long, because other programs may use the machine too. A test that passes does not wait for its timeout.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

const PATTERNS = 'scripts/patterns.test.ts'

/** A server for all files of a project, without the databases of the files that have ended. */
const withDatabases = {
  globalSetup: 'test/runners/setup-postgres.ts',
  setupFiles: [...common.setupFiles, 'test/runners/drop-databases.ts'],
}

/** Files that replace a module for all code that imports it. */
const replacing = ['app', 'lib', 'sandbox', 'scripts'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
    .filter((file) => /\bvi\.(?:mock|doMock)\(/.test(readFileSync(`${root}${file}`, 'utf8'))),
)

/**
 * Two projects with the same settings: the files of the first share a process and its modules, because loading the modules takes
 * longer than most files run. Files that replace a module have a process each.
 */
function sharing(
  name: string,
  { exclude = [], ...test }: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration[] {
  const own = replacing.filter((file) => file.endsWith('.db.test.ts') === (name === 'db'))
  return [
    { ...resolving, test: { ...common, ...test, name, isolate: false, exclude: [...exclude, ...own] } },
    { ...resolving, test: { ...common, ...test, name: `${name}-replacing`, include: own, exclude } },
  ]
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    slowTestThreshold: 5_000,
    projects: [
      ...sharing('unit', {
        maxWorkers: 2,
        include: ['{app,bench,components,examples,lib,packages,sandbox,scripts}/**/*.test.{ts,tsx}'],
        exclude: ['**/*.db.test.ts', '**/*.package.test.ts', '**/node_modules/**', PATTERNS],
      }),
      // Reads the code only, so its result is the same on every version of Node.
      { ...resolving, test: { ...common, name: 'patterns', maxWorkers: 2, include: [PATTERNS] } },
      {
        // Installs packages from the registry.
        ...resolving,
        test: {
          ...common,
          name: 'package',
          include: ['{examples,test/process}/*.package.test.ts'],
          fileParallelism: false,
        },
      },
      // Real servers and real databases: a file keeps one core busy.
      ...sharing('db', {
        ...withDatabases,
        include: ['{app,examples,lib,sandbox,scripts,test}/**/*.db.test.ts'],
        maxWorkers: 2,
        testTimeout: 300_000,
        hookTimeout: 300_000,
      }),
      {
        // Processes that are started, stopped and killed, without a browser: needs the build.
        ...resolving,
        test: {
          ...common,
          ...withDatabases,
          name: 'process',
          include: ['test/process/*.process.test.ts'],
          maxWorkers: 2,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The production build behind Debian's Caddy and pgbouncer: needs the build.
        ...resolving,
        test: {
          ...common,
          name: 'proxies',
          include: ['test/proxies/*.proxy.test.ts'],
          maxWorkers: 2,
          testTimeout: 900_000,
        },
      },
      {
        // The files of deploy/, checked by the programs that read them.
        ...resolving,
        test: { ...common, ...withDatabases, name: 'deploy', include: ['test/deploy/*.deploy.test.ts'], maxWorkers: 2 },
      },
      {
        // The production build and VASPs on other SDKs as real processes: needs the build and the SDKs.
        ...resolving,
        test: { ...common, name: 'parties', include: ['test/parties/*.party.test.ts'], fileParallelism: false },
      },
      {
        // Real LND nodes on a chain of their own, and the production build on them: needs the build.
        ...resolving,
        test: {
          ...common,
          ...withDatabases,
          name: 'lnd',
          include: ['test/lnd/*.lnd.test.ts'],
          maxWorkers: 2,
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The production build under load: needs the build.
        ...resolving,
        test: {
          ...common,
          name: 'load',
          include: ['test/load/*.load.test.ts'],
          fileParallelism: false,
          testTimeout: 900_000,
        },
      },
      {
        // Thousands of unusual inputs, through the handlers in process.
        ...resolving,
        test: {
          ...common,
          name: 'input',
          ...withDatabases,
          include: ['test/bad-input/*.input.test.ts'],
          maxWorkers: 2,
          testTimeout: 900_000,
        },
      },
      {
        // The conformance kit against wrong VASPs, and against the production build.
        ...resolving,
        test: {
          ...common,
          name: 'conformance',
          include: ['test/conformance/*.conformance.test.ts'],
          maxWorkers: 2,
          testTimeout: 900_000,
        },
      },
      {
        // `npm run bench -- --statements`.
        ...resolving,
        test: { ...common, name: 'bench', include: ['test/statements/*.bench.ts'] },
      },
      {
        // Two files at a time, one a core.
        ...resolving,
        test: {
          ...common,
          name: 'simulation',
          ...withDatabases,
          include: ['test/simulation/*.sim.test.ts'],
          maxWorkers: 2,
          testTimeout: 1_800_000,
        },
      },
    ],
  },
})
