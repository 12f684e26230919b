import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '@/lib/db/database'
import type { Deps } from '@/lib/deps'
import { openPeerAccounts, readHouseAccounts } from '@/lib/ledger/accounts'
import { openRates } from '@/lib/money/rate-snapshot'
import { describeOnEmbedded, describeOnPostgres } from '../databases'
import { REMOTE_KEY } from './cast'
import { comparable } from './comparable'
import { history, wantedBy } from './history'
import { openMigrated } from './migrated'
import { readBooks } from './rows'
import { schedules, type Schedule } from './schedule'
import { SEED } from './seed'
import { settle } from './settlers'

// The twin beside SQL: random histories run through the real code, each statement on both, and every answer and all rows
// at the end are equal. What the simulation shows on the twin is shown of SQL by this.

/** The embedded database prepares no statement and takes four times as long: a real server carries nearly all of them. */
const HISTORIES = Number(process.env.SIMULATE_HISTORIES ?? 2_000)
const ON_EMBEDDED = Math.floor(HISTORIES / 32)
/** A worker claims whatever is left behind in its database: histories that go on at once have one each. */
const AT_ONCE = 4
/** Histories whose people are made, and whose rows are read, in one go. */
const GROUP = 40

interface Numbered {
  readonly index: number
  readonly schedule: Schedule
}

describeOnEmbedded('The twin, on the embedded database', (db) => {
  it(`says the same as SQL in ${ON_EMBEDDED} random histories, statement for statement and row for row`, () =>
    compareAll([db()], ON_EMBEDDED, SEED))
})

describeOnPostgres('The twin, on a real server', (server) => {
  const databases: Database[] = []
  beforeAll(async () => {
    for (let count = 0; count < AT_ONCE; count++) databases.push(await openMigrated(server))
  })
  afterAll(() => Promise.all(databases.map((each) => each.close())))

  it(`says the same as SQL in ${HISTORIES - ON_EMBEDDED} random histories, statement for statement and row for row`, () =>
    compareAll(databases, HISTORIES - ON_EMBEDDED, SEED + 1))
})

async function compareAll(databases: readonly Database[], histories: number, seed: number): Promise<void> {
  const startedAt = performance.now()
  const counts = { histories: 0, statements: 0 }
  const waiting = fc.sample(schedules, { numRuns: histories, seed }).map((schedule, index) => ({ index, schedule }))
  await Promise.all(
    databases.map(async (db) => {
      const constants = {
        house: await readHouseAccounts(db),
        peers: await openPeerAccounts(db, [REMOTE_KEY]),
        rates: await openRates(db),
      }
      while (waiting.length > 0) await compare(db, constants, waiting.splice(0, GROUP), counts)
    }),
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `Differential, ${databases[0]?.kind}: SEED=${SEED}, ${counts.histories} histories, ${counts.statements} statements on both sides, ${seconds} s`,
  )
  expect(counts.histories).toBe(histories)
}

async function compare(
  db: Database,
  constants: Pick<Deps, 'house' | 'peers' | 'rates'>,
  group: readonly Numbered[],
  counts: { histories: number; statements: number },
): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const wanted = group.map(({ index, schedule }) => wantedBy(schedule, `h${index}`))
  const settled = await settle(db, constants.house, wanted, nowMs)
  const carried = []
  for (const [place, { index, schedule }] of group.entries()) {
    const mine = settled[place]
    if (mine === undefined) throw new Error(`nobody is there for history ${index}`)
    const twin = await history({ ...constants, db, counts }, schedule, mine, nowMs).catch(async (error: Error) => {
      await findStep(db, constants, { index, schedule })
      throw new Error(`SEED=${SEED}, history ${index}: ${error.message}`, { cause: error })
    })
    counts.histories += 1
    carried.push({ index, schedule, people: mine.stage.people, rows: comparable(twin.books(), mine.stage.people) })
  }
  const books = await readBooks(
    db,
    carried.flatMap(({ people }) => people),
  )
  for (const { index, schedule, people, rows } of carried) {
    const sql = comparable(books, people)
    if (JSON.stringify(sql) === JSON.stringify(rows)) continue
    await findStep(db, constants, { index, schedule })
    expect(
      rows,
      `SEED=${SEED}, history ${index}, whose rows agreed after each statement when it was run again`,
    ).toEqual(sql)
  }
}

/**
 * The same history with other people, and all rows compared after each statement.
 * @throws Error that names the first statement after which they differ.
 */
async function findStep(
  db: Database,
  constants: Pick<Deps, 'house' | 'peers' | 'rates'>,
  { index, schedule }: Numbered,
): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const [settled] = await settle(db, constants.house, [wantedBy(schedule, `again${index}`)], nowMs)
  if (settled === undefined) return
  const { people } = settled.stage
  await history({ ...constants, db, counts: { statements: 0 } }, schedule, settled, nowMs, async (twin, step) =>
    expect(comparable(twin.books(), people), `SEED=${SEED}, history ${index}: rows differ after ${step}`).toEqual(
      comparable(await readBooks(db, people), people),
    ),
  )
}
