import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { platform } from 'node:os'
import { chromium } from 'playwright/test'

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * A Chromium for the browser tests: the one that the environment names, the system's, one that Playwright has
 * downloaded or can download now, or Debian's package when this process is root.
 * @throws Error that lists these choices.
 */
export function findBrowser(say: (line: string) => void): string {
  const named = process.env.PLAYWRIGHT_CHROMIUM_PATH
  const found = [named, ...SYSTEM_BROWSERS, chromium.executablePath()].find(
    (path) => path !== undefined && existsSync(path),
  )
  if (found !== undefined) return found
  say('Fetching a browser for the tests …')
  if (
    run(process.execPath, ['node_modules/playwright/cli.js', 'install', 'chromium']) &&
    existsSync(chromium.executablePath())
  ) {
    return chromium.executablePath()
  }
  if (
    platform() === 'linux' &&
    process.getuid?.() === 0 &&
    run('apt-get', ['update', '-qq']) &&
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'])
  ) {
    return '/usr/bin/chromium'
  }
  throw new Error(
    'The browser tests need Chromium: install it (Debian: apt-get install chromium), or set PLAYWRIGHT_CHROMIUM_PATH to one.',
  )
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0
}
