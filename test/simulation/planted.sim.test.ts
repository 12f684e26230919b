import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { PLANTED } from './planted-bugs'
import { schedules, type run as runIntact } from './schedule'
import { SEED } from './seed'

/** Far fewer than a run of S2 tries. */
const MOST_SCHEDULES = 3_000
const TRIES = Number(process.env.SIMULATE_TRIES ?? 1)

const found: string[] = []
afterAll(() =>
  console.log(`Planted bugs found, and after how many schedules (median of ${TRIES} seeds):\n${found.join('\n')}`),
)

it.each(PLANTED.filter(({ sql }) => sql === undefined))(
  'finds planted bug $number: $title',
  async ({ number, title }) => {
    const path = `./schedule?planted=${number}`
    const { run } = (await import(path)) as { run: typeof runIntact }
    const needed: number[] = []
    const how = new Set<string>()
    for (let round = 0; round < TRIES; round++) {
      let tried = 0
      const property = fc.asyncProperty(schedules, async (schedule) => {
        tried += 1
        const { breach } = await run(schedule)
        if (breach !== undefined) how.add(breach.invariant)
        return breach === undefined
      })
      const { failed } = await fc.check(property, {
        numRuns: MOST_SCHEDULES,
        seed: SEED + round,
        endOnFailure: true,
        unbiased: true,
      })
      expect(failed, `after ${tried} schedules`).toBe(true)
      needed.push(tried)
    }
    const median = needed.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)]
    found.push(`${String(number).padStart(4)}  ${title}: ${median} (${needed.join(', ')}), by ${[...how].join(', ')}`)
  },
)
