import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import type { Application } from '@/lib/backend/application'
import { openNodeAccounts, openHouseAccounts } from '@/lib/ledger/accounts'
import { openRates } from '@/lib/ledger/rate-snapshot'
import { describeOnEmbedded, describeOnPostgres, openMigrated } from '../databases'
import { REMOTE_KEY } from './cast'
import { comparable } from './comparable'
import { history, wantedBy } from './history'
import type { StatementCounts } from './in-step'
import { readBooks } from './rows'
import { schedules, type Schedule } from './schedule'
import { SEED } from './seed'
import { settle } from './settlers'
import { makeTwin } from './twin'

// The twin beside SQL: random histories run through the real code, each statement on both, and every answer and all rows
// at the end are equal. What the simulation shows on the twin is shown of SQL by this.

/** The embedded database prepares no statement and takes four times as long: a real server carries nearly all of them. */
const HISTORIES = Number(process.env.SIMULATE_HISTORIES ?? 2_000)
const ON_EMBEDDED = Math.floor(HISTORIES / 32)
/** A worker claims whatever is left behind in its database: histories that go on at once have one each. */
const AT_ONCE = 4
/** So often each statement is carried out on both sides, at least. */
const LEAST_OF_EACH = 10
/**
 * What a world begins with, what the twin has no answer to but an empty one, and what ends a hold that a killed instance left
 * unsent: nobody is killed in a history, and S3 kills on SQL.
 */
const NOT_IN_A_HISTORY = new Set([
  'open_house_accounts',
  'house_accounts',
  'node_accounts',
  'open_node_accounts',
  'insert_rate_snapshot',
  'read_rate_snapshot',
  'decided_payments',
  'give_up_unsent',
])
/** Histories whose people are made, and whose rows are read, in one go. */
const GROUP = 40

interface Numbered {
  readonly index: number
  readonly schedule: Schedule
}

describeOnEmbedded('The twin, on the embedded database', (db) => {
  it(`says the same as SQL in ${ON_EMBEDDED} random histories, statement for statement and row for row`, async () => {
    await compareAll([db()], ON_EMBEDDED, SEED)
  })
})

describeOnPostgres('The twin, on a real server', (server) => {
  const databases: Database[] = []
  beforeAll(async () => {
    for (let count = 0; count < AT_ONCE; count++) databases.push(await openMigrated(server))
  })
  afterAll(() => Promise.all(databases.map((each) => each.close())))

  it(`says the same as SQL in ${HISTORIES - ON_EMBEDDED} random histories, statement for statement and row for row`, async () => {
    const counts = await compareAll(databases, HISTORIES - ON_EMBEDDED, SEED + 1)
    const seldom = makeTwin(0).statementNames.filter((name) => (counts.get(name) ?? 0) < LEAST_OF_EACH)
    expect(seldom.filter((name) => !NOT_IN_A_HISTORY.has(name))).toEqual([])
  })
})

async function compareAll(databases: readonly Database[], histories: number, seed: number): Promise<StatementCounts> {
  const startedAt = performance.now()
  const counts: StatementCounts = new Map()
  let done = 0
  const waiting = fc.sample(schedules, { numRuns: histories, seed }).map((schedule, index) => ({ index, schedule }))
  await Promise.all(
    databases.map(async (db) => {
      const constants = {
        house: await openHouseAccounts(db),
        nodeAccounts: await openNodeAccounts(db, [REMOTE_KEY]),
        rates: await openRates(db),
      }
      while (waiting.length > 0) {
        const group = waiting.splice(0, GROUP)
        await compare(db, constants, group, counts)
        done += group.length
      }
    }),
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `Differential, ${databases[0]?.kind}: SEED=${SEED}, ${done} histories, ${sum(counts)} statements on both sides, ${seconds} s`,
  )
  expect(done).toBe(histories)
  return counts
}

function sum(counts: StatementCounts): number {
  return [...counts.values()].reduce((total, each) => total + each, 0)
}

async function compare(
  db: Database,
  constants: Pick<Application, 'house' | 'nodeAccounts' | 'rates'>,
  group: readonly Numbered[],
  counts: StatementCounts,
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
  constants: Pick<Application, 'house' | 'nodeAccounts' | 'rates'>,
  { index, schedule }: Numbered,
): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const [settled] = await settle(db, constants.house, [wantedBy(schedule, `again${index}`)], nowMs)
  if (settled === undefined) return
  const { people } = settled.stage
  await history({ ...constants, db, counts: new Map() }, schedule, settled, nowMs, async (twin, step) =>
    expect(comparable(twin.books(), people), `SEED=${SEED}, history ${index}: rows differ after ${step}`).toEqual(
      comparable(await readBooks(db, people), people),
    ),
  )
}
