import { afterEach, expect, it, vi } from 'vitest'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { takeConnections } from '@/test/databases/take-connections'
import { NO_EVENTS } from '../events/recorder'
import { readSamples, type SamplePorts } from '../metrics/samples'
import type { Database } from './db/database'
import { openDatabase } from './db/open-database'
import { checkWrites } from './db/write-check'
import { makeLog } from './log'
import { processSingletons } from './process-singletons'
import { DRAINING, readiness, serving, type ReadinessPorts } from './readiness'

const portsOf = (db: Database): ReadinessPorts => ({
  db,
  log: makeLog('silent', 'test'),
  keys: { signing: {}, verification: [{}] } as never,
  audit: { state: () => 'ok', peers: () => 'ok' },
  node: { state: () => Promise.resolve('ready') },
})
const samplePorts = (db: Database): SamplePorts => ({
  db,
  nodePeers: undefined,
  limits: { pending: () => ({ calls: 0, outbound: 0 }) },
  audit: { state: () => 'ok', ageSeconds: () => 0, peers: () => 'ok' },
  node: { state: () => Promise.resolve('ready') },
  house: () => 1n,
  events: NO_EVENTS,
})
const run = (db: Database, text: string): Promise<unknown> => db.query({ name: '', text })
const failingWith = (state: string): string => `do $$ begin raise exception 'no' using errcode = '${state}'; end $$`

describeOnBothEngines('A database', (db) => {
  afterEach(() => void vi.restoreAllMocks())

  // Each refusal is remembered, so the time goes on from test to test.
  let passedMs = 0
  const now = performance.now.bind(performance)
  const pass = (ms: number): void => {
    passedMs += ms
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs)
  }

  it.each(['53100', '53200', '53300', '53400', '58030', '42501', '25006'])(
    'that refuses a statement with SQLSTATE %s does not store for 90 seconds, and serves meanwhile',
    async (state) => {
      pass(91_000)
      const ports = portsOf(db())
      expect(await readiness(ports)).toMatchObject({ ready: true, checks: { database: 'ok', writing: 'ok' } })
      await expect(run(db(), failingWith(state))).rejects.toThrow('no')
      expect(await readiness(ports)).toMatchObject({ ready: false, checks: { database: 'ok', writing: 'failed' } })
      expect(await readSamples(samplePorts(db()))).toMatchObject({ isDatabaseUp: true, isDatabaseStoring: false })
      expect(await serving(ports)).toEqual({ serving: true, checks: { database: 'ok', shutdown: 'ok' } })
      pass(60_000)
      expect((await readiness(ports)).checks.writing).toBe('failed')
      pass(31_000)
      expect((await readiness(ports)).checks.writing).toBe('ok')
      expect(await readSamples(samplePorts(db()))).toMatchObject({ isDatabaseUp: true, isDatabaseStoring: true })
    },
  )

  it.each(['23505', '40001', '55P03', '57014', 'P0001'])(
    'that refuses a statement with SQLSTATE %s still stores',
    async (state) => {
      pass(91_000)
      await expect(run(db(), failingWith(state))).rejects.toThrow('no')
      expect((await readiness(portsOf(db()))).checks.writing).toBe('ok')
    },
  )

  it('that refuses a write through Prisma does not store', async () => {
    pass(91_000)
    await expect(db().prisma.$executeRawUnsafe(failingWith('53100'))).rejects.toThrow()
    expect((await readiness(portsOf(db()))).checks.writing).toBe('failed')
  })

  it('has one row of a write check, which each check stores again', async () => {
    const rows = (): Promise<unknown> =>
      db().query({
        name: 'test_checks',
        text: 'select id, pg_relation_filenode(tableoid) as file from write_checks',
      })
    await checkWrites(db())
    const before = await rows()
    await checkWrites(db())
    const after = await rows()
    expect([before, after]).toMatchObject([[{ id: 1 }], [{ id: 1 }]])
    expect(after).not.toEqual(before)
  })

  it('of an instance that is stopping is not served', async () => {
    processSingletons().set(DRAINING, true)
    try {
      expect(await serving(portsOf(db()))).toEqual({
        serving: false,
        checks: { database: 'ok', shutdown: 'draining' },
      })
    } finally {
      processSingletons().delete(DRAINING)
    }
  })
})

describeOnPostgres('A database server', (server) => {
  const open = async (databaseUrl: string): Promise<Database> =>
    openDatabase({ databaseUrl, dataDir: '', log: () => {} })

  it('that is read-only answers and does not store, before anything was written', async () => {
    const db = await open(await server.createMigratedDatabase())
    try {
      await run(db, 'set default_transaction_read_only = on')
      expect(await readiness(portsOf(db))).toMatchObject({
        ready: false,
        checks: { database: 'ok', writing: 'failed' },
      })
      expect((await serving(portsOf(db))).serving).toBe(true)
      await expect(checkWrites(db)).rejects.toMatchObject({ code: '25006' })
    } finally {
      await db.close()
    }
  })

  it('answers while other statements keep every connection busy, and does not when nothing is answered', async () => {
    const db = await open(await server.createMigratedDatabase())
    try {
      const giveBack = await takeConnections(db)
      expect((await serving(portsOf(db))).serving).toBe(false)
      await giveBack()
      const over = new AbortController()
      const busy = Array.from({ length: 40 }, async () => {
        while (!over.signal.aborted) await run(db, 'select pg_sleep(0.6)').catch(() => undefined)
      })
      try {
        for (let count = 0; count < 3; count++) expect((await serving(portsOf(db))).serving).toBe(true)
      } finally {
        over.abort()
        await Promise.all(busy)
      }
    } finally {
      await db.close()
    }
  })

  it('is checked by one instance at a time, and a check does not wait for a backup', async () => {
    const url = await server.createMigratedDatabase()
    const [one, other] = [await open(url), await open(url)]
    try {
      await one.prisma.$transaction(async (tx) => {
        await tx.$executeRaw`lock table write_checks in access share mode`
        expect(await other.query({ name: 'test_check', text: 'select check_writes() as checked' })).toEqual([
          { checked: false },
        ])
      })
      expect(await other.query({ name: 'test_check', text: 'select check_writes() as checked' })).toEqual([
        { checked: true },
      ])
      expect((await readiness(portsOf(other))).checks.writing).toBe('ok')
    } finally {
      await one.close()
      await other.close()
    }
  })
})
