import { cpus } from 'node:os'
import type { TestArguments } from './arguments'
import { runsOfFiles } from './routing'
import { STAGES, type Registry, type Stage } from './stages'
import type { Step } from './step'

/** A stage of this run. */
export interface PlannedStage {
  readonly name: string
  /** Undefined if no time is known, as for single files. */
  readonly seconds: number | undefined
  readonly needsRegistry?: Registry
  /** How often to run the steps beside two busy loops, up to the first failure. */
  readonly repeat?: number
  readonly steps: () => Promise<readonly Step[]> | readonly Step[]
}

export interface Plan {
  readonly stages: readonly PlannedStage[]
  /** Stages of `--all` that this run leaves out. */
  readonly leftOut: readonly string[]
}

type Choice = Pick<TestArguments, 'all' | 'only' | 'files' | 'repeat'>

export function planOf({ all, only, files, repeat }: Choice, stages: readonly Stage[] = STAGES): Plan {
  const full = everyStage(stages)
  if (files.length > 0) {
    const runs = runsOfFiles(files)
    const build = stages.filter(({ name }) => name === 'build' && runs.some(({ needsBuild }) => needsBuild))
    const planned =
      repeat === undefined
        ? runs
        : files.flatMap((file) => runsOfFiles([file]).map((run) => ({ ...run, name: file, repeat })))
    return { stages: [...build, ...planned.map((run) => ({ ...run, seconds: undefined }))], leftOut: [] }
  }
  const chosen = all
    ? full
    : stages.filter(({ name, isDefault }) => (only.length > 0 ? only.includes(name) : isDefault))
  const planned = stages.filter(
    (stage) => chosen.includes(stage) || (stage.name === 'build' && chosen.some(({ needsBuild }) => needsBuild)),
  )
  const leftOut = full.filter((stage) => !planned.includes(stage)).map(({ name }) => name)
  return { stages: planned, leftOut }
}

function everyStage(stages: readonly Stage[]): readonly Stage[] {
  const replaced = new Set(stages.map(({ replaces }) => replaces))
  return stages.filter(({ name }) => !replaced.has(name))
}

/** What the run will do and how long it takes, in one sentence. */
export function announcement({ stages }: Plan): string {
  const count = `${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}`
  const names = stages.map(({ name }) => name).join(', ')
  const repeat = stages.find((stage) => stage.repeat !== undefined)?.repeat
  if (repeat !== undefined) return `${count}: ${names}. Each file ${repeat} times, beside two busy loops.`
  if (stages.some(({ seconds }) => seconds === undefined)) return `${count}: ${names}.`
  const seconds = stages.reduce((sum, stage) => sum + (stage.seconds ?? 0), 0)
  const cores = cpus().length
  return `${count}, about ${duration(seconds)} on a quiet machine with 2 cores (this one has ${cores}): ${names}.`
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`
  return `${Math.round(seconds / 60)} minutes`
}
