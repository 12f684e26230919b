import { readOptions } from './options'
import { readTestArguments, TEST } from './test/arguments'
import { announcement, planOf } from './test/plan'
import { runStages } from './test/run'
import { summaryOf } from './test/summary'

/** Limit of a run, and of each repetition. A test that never ends is then reported by name. */
const MAX_MINUTES = 85

const choice = readOptions(TEST, readTestArguments)
const plan = planOf(choice)
console.log(announcement(plan.stages))
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort())
const limit = AbortSignal.timeout(MAX_MINUTES * 60_000 * (choice.repeat ?? 1))
const results = await runStages(plan.stages, AbortSignal.any([interrupt.signal, limit]))
const { lines, exitCode } = summaryOf(results, plan, choice)
console.log(lines.join('\n'))
process.exitCode = interrupt.signal.aborted ? 130 : exitCode
