import fc from 'fast-check'
import { expect, it } from 'vitest'
import { makeCoverage } from './coverage'
import { Breach } from './invariants'
import { REGRESSIONS } from './regressions'
import { reportOf } from './report'
import { run, schedules, type Schedule } from './schedule'
import { SEED } from './seed'

const SCHEDULES = Number(process.env.SIMULATE_SCHEDULES ?? 7_500)
const LEAST_CRASHES = SCHEDULES * 1.34
const LEAST_PER_CELL = 5

async function explain(seed: string, schedule: Schedule): Promise<string> {
  const trace: string[] = []
  const { breach } = await run(schedule, (line) => void trace.push(line))
  return reportOf({
    seed,
    what: schedule,
    breach: breach ?? new Breach('?', 'does not happen again', undefined),
    trace,
  })
}

it.each(REGRESSIONS)('stays mended: $found', async ({ schedule }) => {
  const { breach } = await run(schedule)
  if (breach !== undefined) throw new Error(await explain('regression', schedule))
})

it(`keeps every invariant over ${SCHEDULES} random schedules with crashes, lost answers and two instances`, async () => {
  const coverage = makeCoverage()
  const totals = { steps: 0, crashes: 0, faults: 0 }
  const startedAt = performance.now()
  const property = fc.asyncProperty(schedules, async (schedule) => {
    const { breach, world } = await run(schedule)
    totals.steps += world.counts.steps
    totals.crashes += world.counts.crashes
    totals.faults += world.counts.fired.length
    coverage.add(world.counts.fired)
    if (breach !== undefined) throw breach
  })
  const details = await fc.check(property, { numRuns: SCHEDULES, seed: SEED, unbiased: true })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `S2: SEED=${SEED}, ${details.numRuns} schedules, ${totals.crashes} crashes, ${totals.faults} faults, ${totals.steps} steps, ${seconds} s\n${coverage.table()}`,
  )
  if (details.failed) {
    const [schedule] = details.counterexample ?? []
    if (schedule === undefined) throw details.errorInstance
    throw new Error(await explain(`${SEED}`, schedule))
  }
  expect(totals.crashes).toBeGreaterThanOrEqual(LEAST_CRASHES)
  expect(coverage.below(LEAST_PER_CELL)).toEqual([])
})
