import { startBusyLoops } from './busy-loops'
import { showProgress, type Terminal } from './progress'
import type { PlannedStage } from './plan'
import { stageLines, totalOf, type StageResult } from './report'
import { runStep, type Outcome, type RunOptions } from './run-step'
import { Unavailable, type Step } from './step'

interface PlanRun extends Pick<RunOptions, 'signal'> {
  readonly terminal: Terminal
  /** For all stages together, and for each run of a repeated file. */
  readonly limitMs: number
}

/** Nothing listens there, so that a test that installs packages fails on every machine, whatever is in npm's cache. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' }

/**
 * Runs the stages one after another. Those that had not started at the time limit, at an interrupt or at the failure of
 * a repeated file have no result.
 */
export async function runPlan(stages: readonly PlannedStage[], run: PlanRun): Promise<readonly StageResult[]> {
  const giveUpAtMs = Date.now() + run.limitMs
  const results: StageResult[] = []
  for (const [index, stage] of stages.entries()) {
    const isLate = stage.repeat === undefined && Date.now() >= giveUpAtMs
    if (run.signal.aborted || isLate) break
    const title = `[${index + 1}/${stages.length}] ${stage.name}`
    const result = await runStage(stage, title, giveUpAtMs, run)
    results.push(result)
    run.terminal.write(`${stageLines(title, result).join('\n')}\n`)
    if (stage.repeat !== undefined && result.failures.length > 0) break
  }
  return results
}

async function runStage(
  { name, seconds, steps: stepsOf, needsRegistry, repeat }: PlannedStage,
  title: string,
  giveUpAtMs: number,
  { signal, terminal, limitMs }: PlanRun,
): Promise<StageResult> {
  const startedAt = Date.now()
  const progress = showProgress(terminal, title, seconds)
  const outcomes: Outcome[] = []
  let passed = 0
  let unavailable: string | undefined
  const loops = repeat === undefined ? undefined : startBusyLoops()
  try {
    const once = await stepsOf()
    const steps = Array.from({ length: repeat ?? 1 }, () => once).flat()
    for (const [index, step] of steps.entries()) {
      if (signal.aborted) break
      const prefix = steps.length === 1 ? '' : `${nameOfStep(step)} (${index + 1} of ${steps.length}) `
      const file = steps.length === 1 ? name : `${name}-${index + 1}`
      const outcome = await runStep(file, step, {
        signal,
        giveUpAtMs: repeat === undefined ? giveUpAtMs : Date.now() + limitMs,
        env: needsRegistry === 'the npm registry' ? {} : NO_REGISTRY,
        onProgress: (text) => progress.update((prefix + text).trim()),
      })
      outcomes.push(outcome)
      if (outcome.failures.length === 0 && !signal.aborted) passed += 1
      else if (repeat !== undefined) break
    }
    if (signal.aborted) outcomes.splice(0, outcomes.length, failed('interrupted'))
  } catch (error) {
    if (error instanceof Unavailable) {
      unavailable = error.message
      outcomes.push({ ...failed(''), skipped: 1, failures: [] })
    } else outcomes.push(failed(error instanceof Error ? error.message : String(error)))
  } finally {
    loops?.stop()
  }
  progress.end()
  return {
    name,
    seconds: (Date.now() - startedAt) / 1000,
    ...totalOf(outcomes),
    slowest: repeat === undefined ? outcomes.flatMap(({ slowest }) => slowest) : [],
    details: outcomes
      .map(({ details }) => details)
      .filter(Boolean)
      .join('\n'),
    ...(unavailable === undefined ? {} : { unavailable }),
    ...(repeat === undefined ? {} : { repeats: `${passed} of ${repeat} passed` }),
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
