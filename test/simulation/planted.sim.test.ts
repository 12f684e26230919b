import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { PLANTED } from './planted-bugs'
import { TRIES, findOf } from './planted-finds'
import { schedules, type run as runIntact } from './schedule'
import { SEED } from './seed'
import { NO_REST } from './world'

/** Far fewer than a run of S2 tries. */
const MOST_SCHEDULES = 3_000

const found: string[] = []
afterAll(() =>
  console.log(`Planted bugs found, and after how many schedules (median of ${TRIES} seeds):\n${found.join('\n')}`),
)

it('has sixteen planted bugs to find', () => {
  expect(PLANTED.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 16 }, (_, index) => index + 1),
  )
})

/** A world that a bug keeps going for ever has not shown what the bug does to money: another schedule may. */
function noneWithoutRest(error: unknown): undefined {
  if (!(error instanceof Error && error.name === NO_REST)) throw error
}

it.each(PLANTED.filter(({ sql }) => sql === undefined))('finds planted bug $number: $title', async (bug) => {
  const path = `./schedule?planted=${bug.number}`
  const { run } = (await import(path)) as { run: typeof runIntact }
  const needed: number[] = []
  const how = new Set<string>()
  for (let round = 0; round < TRIES; round++) {
    let tried = 0
    const property = fc.asyncProperty(schedules, async (schedule) => {
      tried += 1
      const breach = await run(schedule).then((result) => result.breach, noneWithoutRest)
      if (breach !== undefined) how.add(breach.invariant)
      return breach === undefined
    })
    const { failed, errorInstance } = await fc.check(property, {
      numRuns: MOST_SCHEDULES,
      seed: SEED + round,
      endOnFailure: true,
      unbiased: true,
    })
    // Nor has a world that breaks down found what the bug does to money.
    if (failed && how.size === 0) throw errorInstance
    expect(failed, `after ${tried} schedules`).toBe(true)
    needed.push(tried)
  }
  found.push(findOf(bug, needed, how))
})
