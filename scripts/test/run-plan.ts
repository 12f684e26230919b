import { showProgress, type Terminal } from './progress'
import type { PlannedStage } from './plan'
import { stageLines, totalOf, type StageResult } from './report'
import { runStep, type Outcome, type RunOptions } from './run-step'
import { Unavailable, type Step } from './step'

interface PlanRun extends Pick<RunOptions, 'giveUpAtMs' | 'signal'> {
  readonly terminal: Terminal
}

/** Runs the stages one after another. Those that had not started at the time limit or at an interrupt have no result. */
export async function runPlan(stages: readonly PlannedStage[], run: PlanRun): Promise<readonly StageResult[]> {
  const results: StageResult[] = []
  for (const [index, stage] of stages.entries()) {
    if (run.signal.aborted || Date.now() >= run.giveUpAtMs) break
    const title = `[${index + 1}/${stages.length}] ${stage.name}`
    const result = await runStage(stage, title, run)
    results.push(result)
    run.terminal.write(`${stageLines(title, result).join('\n')}\n`)
  }
  return results
}

async function runStage(stage: PlannedStage, title: string, run: PlanRun): Promise<StageResult> {
  const startedAt = Date.now()
  const progress = showProgress(run.terminal, title, stage.seconds)
  const outcomes: Outcome[] = []
  let unavailable: string | undefined
  try {
    const steps = await stage.steps()
    for (const [index, step] of steps.entries()) {
      if (run.signal.aborted) break
      const prefix = steps.length === 1 ? '' : `${nameOfStep(step)} (${index + 1} of ${steps.length}) `
      const file = steps.length === 1 ? stage.name : `${stage.name}-${index + 1}`
      outcomes.push(
        await runStep(file, step, { ...run, onProgress: (text) => progress.update((prefix + text).trim()) }),
      )
    }
    if (run.signal.aborted) outcomes.splice(0, outcomes.length, failed('interrupted'))
  } catch (error) {
    if (error instanceof Unavailable) {
      unavailable = error.message
      outcomes.push({ ...failed(''), skipped: 1, failures: [] })
    } else outcomes.push(failed(error instanceof Error ? error.message : String(error)))
  }
  progress.end()
  return {
    name: stage.name,
    seconds: (Date.now() - startedAt) / 1000,
    ...totalOf(outcomes),
    slowest: outcomes.flatMap(({ slowest }) => slowest),
    details: outcomes
      .map(({ details }) => details)
      .filter(Boolean)
      .join('\n'),
    ...(unavailable === undefined ? {} : { unavailable }),
  }
}

/** The program that a step runs: `tsc`, `vitest`, `pay-flow`. */
function nameOfStep({ args }: Step): string {
  const [script = '', first = ''] = args
  const path = script.endsWith('ready.mjs') ? first : script
  return (path.split('/').at(-1) ?? path).replace(/\.\w+$/, '')
}

function failed(why: string): Outcome {
  return { passed: 0, skipped: 0, failures: [why], slowest: [], details: '' }
}
