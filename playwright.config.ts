import { defineConfig } from 'playwright/test'
import { findBrowser } from './scripts/browser'

/** The flows that the README promises: `npm test` runs them without options. */
const PROMISES = ['money', 'show', 'sign-in-flow', 'token-command'].map((name) => `**/${name}.spec.ts`)

/**
 * Chromium reads only the last list of features, so this one repeats the list of Playwright. The two that we add draw
 * the suggestions of the address bar: each browser context loads their two pages, which costs as much as a page of ours.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

// The workers read this file again, with the environment of the first process.
process.env.PLAYWRIGHT_CHROMIUM_PATH = findBrowser(console.error)

/** Browser flows on the production build, with the VASP and the gateway simulator as real processes. */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/support/global-setup.ts',
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Long, because other programs may use the machine too. A test that passes does not wait for its timeout.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  projects: [
    { name: 'promises', testMatch: PROMISES },
    { name: 'flows', testIgnore: PROMISES },
    // What `npm run bench -- --waits` compares with bounds of time.
    ...(process.env.MEASURE === 'yes'
      ? [
          {
            name: 'bench',
            testMatch: ['**/*.measure.ts', '**/*.spec.ts'],
            grep: /@measured/,
            workers: 1,
          },
        ]
      : []),
  ],
  use: {
    // Pages show the times of the browser's zone.
    timezoneId: 'UTC',
    // A trace costs a quarter of all CPU time. Repeat one test with `--trace=on` to have one.
    screenshot: 'only-on-failure',
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
        `--disable-features=${DISABLED_FEATURES.join(',')}`,
      ],
    },
  },
  outputDir: 'test-results',
})
