import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, expect, test } from 'vitest'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnPostgres } from '@/test/databases/databases'
import { scriptPath } from '@/test/programs/script'
import type { WaitingReport } from '@/test/programs/waiting-process'
import { expectSound } from '@/test/vasp/leaving'

const PAYMENTS = 1_000
const MAX_BYTES_EACH = 100_000

describeOnPostgres('A thousand payments pending at a node that hangs', (server) => {
  let report: WaitingReport
  let databaseUrl: string
  beforeAll(async () => {
    databaseUrl = await server.createMigratedDatabase()
    const args = ['--expose-gc', scriptPath('test/programs/waiting-process.ts'), databaseUrl, '15', '30']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let written = ''
    child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()))
    await once(child, 'close')
    process.stdout.write(written)
    report = JSON.parse(written) as WaitingReport
  })

  test('keep no transaction open and leave database connections free', () => {
    expect(report.inTransaction).toBe(0)
    expect(report.maxQueuedForPool).toBe(0)
    // The worker repeats four kinds of statements, each one after the other.
    expect(report.maxBusyAtRest).toBeLessThanOrEqual(4)
  })

  test('take less than 100 kB of the heap each', () => {
    expect(report.heapGrowth / PAYMENTS).toBeLessThan(MAX_BYTES_EACH)
  })

  test('are sent once each, and answered when the node answers again, all at once', async () => {
    expect(report.tripped).toBe(0)
    expect(report.sends).toBe(PAYMENTS)
    expect(report.statuses).toEqual({ 200: PAYMENTS })
    const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    await expectSound(db)
    await db.close()
  })
})
