import { findBrowser } from '../browser'
import type { Step } from './step'

/** Two tests at a time, as in playwright.config.ts. */
export const BROWSER_PROMISES = { projects: ['promises'], workers: 2 }
export const BROWSER_ALL = { projects: ['promises', 'flows'], workers: 2 }

interface BrowserRun {
  /** The projects to run; all projects when none is named. */
  readonly projects?: readonly string[]
  readonly files?: readonly string[]
  readonly workers: number
}

/** @throws Error when no browser can be found. */
export function browserSteps({ projects = [], files = [], workers }: BrowserRun): readonly Step[] {
  return [
    {
      args: [
        '--conditions=uma-auth-source',
        'node_modules/playwright/cli.js',
        'test',
        ...files,
        ...projects.map((project) => `--project=${project}`),
        `--workers=${workers}`,
        '--reporter=list,./test/runners/browser-report.ts',
      ],
      env: { PLAYWRIGHT_CHROMIUM_PATH: findBrowser(() => {}) },
      writesReport: true,
    },
  ]
}
