import { defineConfig } from 'playwright/test'

export default defineConfig({
  testDir: 'tests',
  timeout: 60_000,
  // Starts the sandbox, unless one answers already, and stops it after the tests.
  webServer: {
    command: 'npm run demo -- --no-southbank --empty',
    cwd: 'sandbox',
    // Leads to the sign-in page, so the gateway and the VASP answer.
    url: `${process.env.GATEWAY_ORIGIN ?? 'http://localhost:8080'}/login`,
    // The first start installs and builds.
    timeout: 600_000,
    reuseExistingServer: true,
    gracefulShutdown: { signal: 'SIGINT', timeout: 30_000 },
    stdout: 'pipe',
  },
})
