import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, expect, test } from 'vitest'
import { openDatabase } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases'
import { expectSound } from '@/test/leaving'
import { scriptPath } from '@/test/script'
import type { WaitingReport } from '@/test/waiting-process'

const PAYMENTS = 1_000
/** A call takes one or two milliseconds. A call that waits for a connection, a lock or the node takes hundreds. */
const MAX_SLOWDOWN_MS = 20
const MAX_BYTES_EACH = 100_000

describeOnPostgres('A thousand payments pending at a node that hangs for 20 seconds', (server) => {
  let report: WaitingReport
  let databaseUrl: string
  beforeAll(async () => {
    databaseUrl = await server.createMigratedDatabase()
    const args = ['--expose-gc', scriptPath('test/waiting-process.ts'), databaseUrl]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let written = ''
    child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()))
    await once(child, 'close')
    process.stdout.write(written)
    report = JSON.parse(written) as WaitingReport
  })

  test('do not slow down internal payments and balance requests', () => {
    const { before, during, after } = report
    expect(during.payment - Math.max(before.payment, after.payment)).toBeLessThan(MAX_SLOWDOWN_MS)
    expect(during.balance - Math.max(before.balance, after.balance)).toBeLessThan(MAX_SLOWDOWN_MS)
  })

  test('keep no transaction open and leave database connections free', () => {
    expect(report.looks).toBeGreaterThan(20)
    expect(report.inTransaction).toBe(0)
    expect(report.maxQueuedForPool).toBe(0)
    // The worker's own statements, once a second.
    expect(report.maxBusyAtRest).toBeLessThanOrEqual(3)
  })

  test('take less than 100 kB of memory each', () => {
    expect(report.rssGrowth / PAYMENTS).toBeLessThan(MAX_BYTES_EACH)
    expect(report.heapGrowth / PAYMENTS).toBeLessThan(MAX_BYTES_EACH)
  })

  test('leave connections for other requests when all of them end at once', () => {
    expect(report.meanwhile.payment).toBeLessThan(1_000)
    expect(report.tripped).toBe(0)
  })

  test('are sent once each, and answered when the node answers again', async () => {
    expect(report.sends).toBe(PAYMENTS)
    expect(report.statuses).toEqual({ 200: PAYMENTS })
    expect(report.untilAllAnswered).toBeLessThan(20_000)
    const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    await expectSound(db)
    await db.close()
  })
})
