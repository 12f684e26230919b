import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { migratedDataDir } from '@/test/databases/migrated'
import type { Database } from './database'
import { openDatabase } from './open-database'
import { runUpkeep, scheduleUpkeep, type UpkeepStep } from './upkeep'

const MIB = 2 ** 20
const WAL_SEGMENT_MIB = 16
/** Rows of one round: more than make a table due. */
const ROWS = 1_000

let dataDir: string
let db: Database

const open = (): Promise<Database> => openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })

async function reopen(): Promise<void> {
  await db.close()
  db = await open()
}

const sql = (text: string): Promise<Record<string, unknown>[]> => db.query({ name: 'of_the_test', text })

/** Events with bodies of 6 kB that do not compress. */
const addEvents = (count = ROWS) =>
  sql(`with body as materialized (select string_agg(md5(part::text), '') as text from generate_series(1, 190) part)
       insert into events (kind, name, detail)
       select 'api_call', 'GET /balance', jsonb_build_object('response', text) from body, generate_series(1, ${count})`)

async function due(): Promise<readonly UpkeepStep[]> {
  return (await db.dueUpkeep?.()) ?? []
}
const namesDue = async (): Promise<string[]> => (await due()).map(({ name }) => name)

async function upkeep(): Promise<void> {
  await runUpkeep(due, (step, error) => {
    throw new Error(step, { cause: error })
  })
}

async function rowsKnown(table: string): Promise<unknown> {
  const [row] = await sql(`select reltuples::int as rows from pg_class where oid = '${table}'::regclass`)
  return row?.['rows']
}

function folderMib(): number {
  const files = readdirSync(join(dataDir, 'database'), { recursive: true, withFileTypes: true })
  const sizes = files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).size)
  return sizes.reduce((sum, size) => sum + size, 0) / MIB
}

describe('The upkeep of an embedded database', () => {
  beforeEach(async () => {
    dataDir = await migratedDataDir()
    db = await open()
  })
  afterEach(async () => {
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('keeps the folder within a bound, however often rows are added and deleted', async () => {
    const sizes: number[] = []
    // Each round writes 6 MB of rows and 7 MB of write-ahead log.
    for (let round = 0; round < 16; round++) {
      await addEvents()
      await sql('delete from events')
      await upkeep()
      sizes.push(folderMib())
    }
    const [early, late] = [sizes.slice(0, 8), sizes.slice(8)]
    expect(Math.max(...late)).toBeLessThanOrEqual(Math.max(...early) + WAL_SEGMENT_MIB)
  })

  test('counts a table again when its rows have doubled, and is not due before rows have changed', async () => {
    await upkeep()
    await addEvents()
    await upkeep()
    expect(await rowsKnown('events')).toBe(ROWS)
    expect(await namesDue()).toEqual([])
    await addEvents()
    await upkeep()
    expect(await rowsKnown('events')).toBe(2 * ROWS)
    expect(await namesDue()).toEqual([])
  })

  test('is due for a table of which a fifth was deleted', async () => {
    await addEvents(5 * ROWS)
    await upkeep()
    await sql(`delete from events where id <= ${ROWS}`)
    expect(await namesDue()).toEqual([])
    await sql(`delete from events where id <= ${2 * ROWS}`)
    expect(await namesDue()).toContain('vacuum public.events')
  })

  test('is due for the tables of the Lightning node too', async () => {
    await sql(`insert into lightning_node.receipts (payer, payment_hash, attempt, state, failure)
               select 'payer', md5(number::text), '1', 'refused', 'limit' from generate_series(1, ${ROWS}) number`)
    await upkeep()
    expect(await rowsKnown('lightning_node.receipts')).toBe(ROWS)
  })

  test('is due after a start for each table with data, because the engine forgets its counts', async () => {
    await upkeep()
    await addEvents(100)
    expect(await namesDue()).toEqual([])
    await reopen()
    expect(await namesDue()).toEqual([
      'vacuum public.events',
      'vacuum long values of public.events',
      'analyze public.events',
    ])
    expect(await namesDue()).toEqual([])
  })

  test('waits for a transaction in progress, and disturbs none', async () => {
    await addEvents()
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const counted = db.prisma.$transaction(async (tx) => {
      const before = await tx.event.count()
      await released
      return [before, await tx.event.count()]
    })
    const done = upkeep()
    release()
    expect(await counted).toEqual([ROWS, ROWS])
    await done
    expect(await rowsKnown('events')).toBe(ROWS)
  })

  test('ends without an error when the database closes during a step, and the next start reads everything', async () => {
    await addEvents()
    const [first, ...others] = await due()
    const running = first?.run()
    const closing = db.close()
    await Promise.all([running, closing, ...others.map((step) => step.run())])
    expect(await due()).toEqual([])
    db = await open()
    expect(await sql('select count(*)::int as count from events')).toEqual([{ count: ROWS }])
  })
})

describe('A round of upkeep', () => {
  afterEach(() => void vi.useRealTimers())

  const step = (name: string, run: () => Promise<void> = async () => {}): UpkeepStep => ({ name, run })

  test('gives the event loop a turn after each step', async () => {
    const order: string[] = []
    const steps = ['one', 'two', 'three'].map((name) =>
      step(name, async () => {
        order.push(name)
        setImmediate(() => order.push('request'))
      }),
    )
    await runUpkeep(
      async () => steps,
      () => {},
    )
    expect(order).toEqual(['one', 'request', 'two', 'request', 'three', 'request'])
  })

  test('goes on after a step that fails, every ten seconds, and reports the failure once', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const failure = new Error('no room on the disk')
    const last = vi.fn(async () => {})
    const report = vi.fn()
    scheduleUpkeep(async () => [step('bad', () => Promise.reject(failure)), step('good', last)], report)
    const roundsAfterTenSeconds = (): number => {
      vi.advanceTimersByTime(10_000)
      return last.mock.calls.length
    }
    await expect.poll(roundsAfterTenSeconds).toBeGreaterThan(2)
    expect(report.mock.calls).toEqual([['bad', failure]])
  })
})
