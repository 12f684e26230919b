import { defineConfig } from 'playwright/test'
import base from '../../playwright.config'

/** Two workers share one sandbox, as an app's own tests would. `own-users.spec.ts` starts this run. */
export default defineConfig({
  testDir: '.',
  testMatch: 'alone.ts',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['line']],
  outputDir: '../../test-results/own-user',
  ...(base.use === undefined ? {} : { use: base.use }),
})
