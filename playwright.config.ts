import { defineConfig } from 'playwright/test'

/** The flows that the README promises: `npm test` runs them without options. */
const PROMISES = ['demo', 'money', 'show', 'sign-in-flow', 'token-command'].map((name) => `**/${name}.spec.ts`)

/** What measures how long something takes, or has to be in time: with nothing beside it but what it starts itself. */
const ALONE = ['demo-weight', 'show-flood', 'sign-in', 'stopping', 'two-instances'].map((name) => `**/${name}.spec.ts`)

/** Browser flows on the production build, with the VASP and the gateway stand-in as real processes. */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/global-setup.ts',
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // For a machine that others use as well: what passes takes none of it.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  // None where nothing is said.
  globalTimeout: Number(process.env.PLAYWRIGHT_LONGEST_MS ?? 0),
  reporter: [['list']],
  projects: [
    { name: 'promises', testMatch: PROMISES },
    { name: 'flows', testIgnore: [...PROMISES, ...ALONE] },
    { name: 'alone', testMatch: ALONE, workers: 1 },
  ],
  use: {
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.PLAYWRIGHT_CHROMIUM_PATH,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
      ],
    },
  },
  outputDir: 'test-results',
})
