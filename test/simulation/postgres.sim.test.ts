import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres, openMigrated } from '../databases'
import { plantSql } from './plant-sql'
import type { Breach } from './invariants'
import { PLANTED, type PlantedBug } from './planted-bugs'
import { TRIES, findOf } from './planted-finds'
import { runBatch, type runBatch as RunBatch } from './real'
import { ledgerOf } from './report'
import { SEED } from './seed'
import { describe as text } from './world'

const BATCHES = Number(process.env.SIMULATE_BATCHES ?? 42)
const SIZE = 25
const MOST_BATCHES = 40

describeOnPostgres('S3: the scenarios on a real server', (server) => {
  let db: Database
  beforeAll(async () => {
    db = await openMigrated(server)
  })
  afterAll(() => db.close())

  it(`keeps every invariant in ${BATCHES * SIZE} scenarios, ${SIZE} at a time, on two instances that are killed`, async () => {
    const startedAt = performance.now()
    const totals = { crashes: 0, statements: 0 }
    for (let batch = 0; batch < BATCHES; batch++) {
      const { breach, scenario, crashes, statements } = await runBatch(db, SIZE, SEED + batch)
      totals.crashes += crashes
      totals.statements += statements
      if (breach !== undefined)
        throw new Error(
          [
            breach.message,
            `SEED=${SEED}, batch ${batch}`,
            text(scenario?.schedule),
            ...(breach.books ? ledgerOf(breach.books) : []),
          ].join('\n'),
        )
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(
      `S3: SEED=${SEED}, ${BATCHES * SIZE} scenarios, ${totals.crashes} crashes, ${totals.statements} statements, ${seconds} s`,
    )
  })
})

describeOnPostgres('Bugs planted in SQL', (server) => {
  const found: string[] = []
  afterAll(() =>
    console.log(
      `Planted bugs found on a real server, and within how many scenarios (median of ${TRIES} seeds):\n${found.join('\n')}`,
    ),
  )

  /** In a database of its own: what one try broke is nothing that the next has found. */
  async function tryToFind(
    bug: PlantedBug,
    seed: number,
  ): Promise<{ readonly scenarios: number; readonly breach: Breach }> {
    const db = await openMigrated(server)
    try {
      await plantSql(db, bug)
      const path = bug.patches.length === 0 ? './real' : `./real?planted=${bug.number}`
      const { runBatch: run } = (await import(path)) as { runBatch: typeof RunBatch }
      for (let batch = 1; batch <= MOST_BATCHES; batch++) {
        const { breach } = await run(db, SIZE, seed + batch)
        if (breach !== undefined) return { scenarios: batch * SIZE, breach }
      }
      return expect.fail(`not found in ${MOST_BATCHES * SIZE} scenarios`)
    } finally {
      await db.close()
    }
  }

  it.each(PLANTED.filter(({ sql }) => sql !== undefined))('finds planted bug $number: $title', async (bug) => {
    const needed: number[] = []
    const how = new Set<string>()
    for (let round = 0; round < TRIES; round++) {
      const { scenarios, breach } = await tryToFind(bug, SEED + round * MOST_BATCHES)
      needed.push(scenarios)
      how.add(breach.invariant)
    }
    found.push(findOf(bug, needed, how))
  })
})
