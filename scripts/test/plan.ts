import { cpus } from 'node:os'
import type { TestArguments } from './arguments'
import { ON_BUILD, playwright, vitest } from './runners'
import { STAGES, type Stage } from './stages'

export type Plan = ReturnType<typeof planOf>

/** The stages of a run, and those of `--all` that it leaves out. */
export function planOf({ all, only, files, repeat }: TestArguments) {
  const full = STAGES.filter(({ name }) => !STAGES.some(({ replaces }) => replaces === name))
  const named = STAGES.filter(({ name, isDefault }) => (only.length > 0 ? only.includes(name) : isDefault))
  const chosen = files.length > 0 ? stagesOfFiles(files, repeat) : all ? full : named
  const args = chosen.flatMap(({ run }) => run.flatMap((command) => command.args))
  const build = STAGES.filter(({ name }) => name === 'build' && args.some((each) => ON_BUILD.test(each)))
  if (files.length > 0) return { stages: [...build, ...chosen], leftOut: [] }
  const stages = STAGES.filter((stage) => chosen.includes(stage) || build.includes(stage))
  return { stages, leftOut: full.filter((stage) => !stages.includes(stage)) }
}

/** vitest finds the project of a file by itself. */
function stagesOfFiles(files: readonly string[], repeat?: number): readonly Stage[] {
  if (repeat !== undefined)
    return files.flatMap((name) => stagesOfFiles([name]).map((stage) => ({ ...stage, name, repeat })))
  const browser = files.filter((file) => file.endsWith('.spec.ts'))
  const others = files.filter((file) => !browser.includes(file))
  const first: Stage = { name: 'vitest', needsRegistry: 'the npm registry', run: [vitest('', others)] }
  const second: Stage = { name: 'browser', run: [playwright(`--workers=${Math.min(browser.length, 2)}`, ...browser)] }
  return [others.length > 0 && first, browser.length > 0 && second].filter((stage) => stage !== false)
}

/** What the run will do and how long it takes, in one sentence. */
export function announcement(stages: readonly Stage[]): string {
  const count = `${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}`
  const names = stages.map(({ name }) => name).join(', ')
  const { repeat, seconds: known } = stages.at(-1) ?? {}
  if (repeat !== undefined) return `${count}: ${names}. Each file ${repeat} times, beside two busy loops.`
  if (known === undefined) return `${count}: ${names}.`
  const seconds = stages.reduce((sum, stage) => sum + (stage.seconds ?? 0), 0)
  const time = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
  return `${count}, about ${time} on a quiet machine with 2 cores (this one has ${cpus().length}): ${names}.`
}
