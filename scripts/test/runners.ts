import { resolve } from 'node:path'

/** One command of a stage. */
export interface Command {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whether it writes a JSON report to `REPORT`; otherwise its exit code is one passed or failed check. */
  readonly writesReport: boolean
}

/** Stages run one after another, so one file is enough for each `npm test`. */
export const REPORT = resolve('.cache', 'test', 'report.json')
/** What starts the production build: arguments that name a project of vitest.config.ts, a file of one, or a runner. */
export const ON_BUILD =
  /playwright|^soak$|[=.](?:process|prox|load|conformance|package|part|lnd)(?:y|ies)?(?:\*|\.test)/

/** `project`: of vitest.config.ts, with the one whose name begins with it. */
export function vitest(project: string, args: readonly string[] = [], more: Partial<Command> = {}): Command {
  const shown = ['default', 'json', resolve('test/runners/unfinished.ts')].map((name) => `--reporter=${name}`)
  const own = ['node_modules/vitest/vitest.mjs', 'run', `--project=${project}*`, `--outputFile.json=${REPORT}`]
  return { name: 'vitest', program: process.execPath, args: [...own, ...shown, ...args], writesReport: true, ...more }
}

export function playwright(...more: readonly string[]): Command {
  const args = [
    '--conditions=uma-auth-source',
    'node_modules/playwright/cli.js',
    'test',
    '--reporter=list,json',
    ...more,
  ]
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: REPORT }
  return { name: 'playwright', program: process.execPath, args, env, writesReport: true }
}

/** A command of package.json. */
export function npm(name: string, ...args: readonly string[]): Command {
  return { name, program: 'npm', args: ['run', '--silent', name, '--', ...args], writesReport: false }
}
