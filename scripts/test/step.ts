/** One command of a stage. */
export interface Step {
  /** Node itself when it is undefined. */
  readonly node?: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whether it writes a run report (test/runners/run-report.ts); otherwise its exit code is one passed or failed check. */
  readonly writesReport: boolean
}

/** Thrown by a stage that cannot run on this machine. It counts as a skip. */
export class Unavailable extends Error {}

/** A program whose exit code is the result. */
export function checkStep(script: string, args: readonly string[], node?: string): Step {
  return { args: [script, ...args], writesReport: false, ...(node === undefined ? {} : { node }) }
}

/** One of this repository's commands. */
export function commandStep(script: string, args: readonly string[] = [], node?: string): Step {
  return checkStep('scripts/ready.mjs', [script, ...args], node)
}

interface VitestOptions {
  /** File names or other arguments. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly node?: string
}

/** `project`: of vitest.config.ts, with the one whose name begins with it. */
export function vitestStep(project: string, { args = [], env = {}, node }: VitestOptions = {}): Step {
  return {
    args: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      `${project}*`,
      '--reporter=default',
      '--no-color',
      '--slowTestThreshold=5000',
      '--reporter=./test/runners/run-report.ts',
      ...args,
    ],
    env,
    writesReport: true,
    ...(node === undefined ? {} : { node }),
  }
}
