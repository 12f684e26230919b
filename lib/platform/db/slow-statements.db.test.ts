import { rmSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { describeOnPostgres } from '@/test/databases/databases'
import { migratedDataDir } from '@/test/databases/migrated'
import type { Database } from './database'
import { openDatabase } from './open-database'

/** The clock that times the statements. */
let nowMs = 0
const LONG_MS = 1_500
const MANY = 30
/** The connections of the pool. */
const POOL = 10

let cleanUp: (() => Promise<void>) | undefined
afterEach(async () => {
  vi.restoreAllMocks()
  await cleanUp?.()
  cleanUp = undefined
})

/** Opens a database whose statements are timed by the test's clock. Each call of `slow` belongs to one slow statement. */
async function open(databaseUrl?: string): Promise<{ db: Database; slow: ReturnType<typeof vi.fn> }> {
  const dataDir = databaseUrl === undefined ? await migratedDataDir() : ''
  const slow = vi.fn()
  const db = await openDatabase({ databaseUrl, dataDir, log: () => {}, onSlowStatement: slow })
  cleanUp = async () => {
    await db.close()
    if (dataDir !== '') rmSync(dataDir, { recursive: true, force: true })
  }
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  return { db, slow }
}

const quick = (db: Database) => db.query({ name: 'quick', text: 'select 1 as one' })

describe('A slow statement, on the embedded database', () => {
  test('is reported once with its name and its time, and statements that waited for it are not', async () => {
    const { db, slow } = await open()
    // A notification is received while its statement ends.
    await db.listen('clock', () => (nowMs += LONG_MS))
    await Promise.all([
      quick(db),
      db.query({ name: 'slow', text: `select pg_notify('clock', $1)` }, ['a parameter']),
      ...Array.from({ length: MANY }, () => quick(db)),
      db.prisma.user.count(),
    ])
    expect(slow.mock.calls).toEqual([['slow', LONG_MS]])
  })

  test('of Prisma is reported as prisma, with or without a transaction', async () => {
    const { db, slow } = await open()
    await db.listen('clock', () => (nowMs += LONG_MS))
    await db.prisma.$executeRaw`select pg_notify('clock', '')`
    await db.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`select pg_notify('clock', '')`
    })
    await quick(db)
    expect(slow.mock.calls).toEqual([
      ['prisma', LONG_MS],
      ['prisma', LONG_MS],
    ])
  })
})

describeOnPostgres('A slow statement, on a real server', (server) => {
  test('is reported with its name and its time, whether it succeeds or fails', async () => {
    const { db, slow } = await open(await server.createMigratedDatabase())
    // The driver converts a parameter when it sends the statement.
    const long = { toPostgres: () => String((nowMs += LONG_MS)) }
    await db.query({ name: 'slow', text: 'select $1::text as parameter' }, [long])
    await quick(db)
    await expect(db.query({ name: 'slow_failure', text: 'select 1 / ($1::bigint * 0)' }, [long])).rejects.toThrow(
      'zero',
    )
    expect(slow.mock.calls).toEqual([
      ['slow', LONG_MS],
      ['slow_failure', LONG_MS],
    ])
  })

  test('of Prisma is reported as prisma, with or without a transaction', async () => {
    const { db, slow } = await open(await server.createMigratedDatabase())
    await db.prisma.user.count()
    expect(slow).not.toHaveBeenCalled()
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += LONG_MS))
    await db.prisma.user.count()
    expect(slow.mock.calls).toEqual([['prisma', LONG_MS]])
    await db.prisma.$transaction(async (tx) => tx.user.count())
    expect(slow.mock.calls.slice(1)).toEqual(Array.from({ length: 3 }, () => ['prisma', LONG_MS]))
  })

  test('does not include the wait for a connection of the pool', async () => {
    const { db, slow } = await open(await server.createMigratedDatabase())
    let begun = 0
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const hold = (): Promise<void> => {
      begun += 1
      return released
    }
    const holders = Array.from({ length: POOL }, () => db.prisma.$transaction(hold))
    await expect.poll(() => begun).toBe(POOL)
    const waiting = Array.from({ length: MANY }, () => quick(db))
    await expect.poll(() => db.connections?.().waiting).toBe(MANY)
    nowMs += LONG_MS
    release()
    await Promise.all([...holders, ...waiting])
    expect(slow).not.toHaveBeenCalled()
  })
})
