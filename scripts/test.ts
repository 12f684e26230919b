import { existsSync, statSync } from 'node:fs'
import { readOptions } from './options'
import { readTestArguments, TEST, type TestArguments } from './test/arguments'
import { announcement, planOf } from './test/plan'
import { exitCodeOf, summaryLines } from './test/report'
import { runPlan } from './test/run-plan'

/** Limit of all stages together, or of each run of a repeated file. A test that never ends is then reported by name. */
const MAX_MINUTES = 80
const INTERRUPTED = 130

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()
process.exitCode = await run(readOptions(TEST, (args) => readTestArguments(args, isFile)))

async function run({ all, noSkips, ...choice }: TestArguments): Promise<number> {
  const plan = planOf({ all, ...choice })
  console.log(announcement(plan))
  const interrupt = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort())
  const results = await runPlan(plan.stages, {
    limitMs: MAX_MINUTES * 60_000,
    signal: interrupt.signal,
    terminal: {
      isTTY: process.stdout.isTTY,
      columns: process.stdout.columns ?? 80,
      write: (text) => void process.stdout.write(text),
    },
  })
  const missed = plan.stages.map(({ name }) => name).filter((name) => !results.some((result) => result.name === name))
  const summary = { results, missed, leftOut: plan.leftOut, all, noSkips }
  console.log(summaryLines(summary).join('\n'))
  return interrupt.signal.aborted ? INTERRUPTED : exitCodeOf(summary)
}
