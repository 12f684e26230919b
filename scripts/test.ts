import { readOptions } from './options'
import { readTestArguments, TEST } from './test/arguments'
import { announcement, planOf } from './test/plan'
import { runStages } from './test/run'
import { summaryOf } from './test/summary'

/** Limit of the whole run, and of each run of a repeated file. A test that never ends is then reported by name. */
const MAX_MINUTES = 85

const choice = readOptions(TEST, readTestArguments)
const plan = planOf(choice)
console.log(announcement(plan.stages))
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort())
const results = await runStages(plan.stages, MAX_MINUTES * 60_000, interrupt.signal)
const { lines, exitCode } = summaryOf(results, plan, choice)
console.log(lines.join('\n'))
process.exitCode = interrupt.signal.aborted ? 130 : exitCode
