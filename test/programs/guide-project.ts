import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shownFiles } from '../../scripts/shown-code'

/** Plays the tests with the browser of this machine, as the guide's own commands play them with a browser of Playwright. */
const BROWSER_CONFIG = 'with-this-browser.config.ts'
const browserConfig = (executablePath: string): string => `import config from './playwright.config'
export default { ...config, use: { launchOptions: { executablePath: ${JSON.stringify(executablePath)}, args: ['--no-sandbox'] } } }
`

/**
 * Writes the files of the job in docs/test-your-app.md into a folder, as a reader saves them, and beside them a configuration
 * with a browser.
 * @returns the arguments of Playwright that choose this configuration.
 */
export function saveGuideProject(folder: string, browser: string): readonly string[] {
  const save = (file: string, text: string): void => {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const files = shownFiles(readFileSync('docs/test-your-app.md', 'utf8'), 'examples/test-your-app')
  for (const [file, text] of files) save(file, text)
  save(BROWSER_CONFIG, browserConfig(browser))
  return ['--config', BROWSER_CONFIG]
}

/** The environment without what a run of Playwright sets for its own workers. */
export function outsidePlaywright(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { TEST_PARALLEL_INDEX: _index, TEST_WORKER_INDEX: _worker, ...rest } = process.env
  // NWC needs a WebSocket, which Node 20 has behind this flag.
  const flag = typeof globalThis.WebSocket === 'undefined' ? { NODE_OPTIONS: '--experimental-websocket' } : {}
  return { ...rest, ...flag, ...env }
}
