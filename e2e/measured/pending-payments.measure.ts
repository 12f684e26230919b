import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'playwright/test'
import { NO_POSTGRES, startTestPostgres } from '../../test/databases/postgres'
import { scriptPath } from '../../test/programs/script'
import type { WaitingReport } from '../../test/programs/waiting-process'
import { MEASURED, measured } from '../support/measured'

/** A call takes one or two milliseconds. A call that waits for a connection, a lock or the node takes hundreds. */
const MAX_SLOWDOWN_MS = 20
const MAX_KB_EACH = 100

test('A thousand payments pending at a node that hangs', { tag: MEASURED }, async () => {
  const server = await startTestPostgres()
  test.skip(server === undefined, NO_POSTGRES)
  try {
    const args = [
      '--expose-gc',
      scriptPath('test/programs/waiting-process.ts'),
      (await server?.createMigratedDatabase()) ?? '',
      '150',
      '100',
    ]
    const report = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as WaitingReport
    const { before, during, after, meanwhile, rssGrowth, untilAllAnswered } = report
    expect(report.tripped).toBe(0)
    for (const what of ['payment', 'balance'] as const) {
      const slower = during[what] - Math.max(before[what], after[what])
      measured(`A thousand pending payments, slower ${what}`, Math.round(slower), MAX_SLOWDOWN_MS)
    }
    measured('Payment while a thousand end at once', Math.round(meanwhile.payment), 1_000)
    measured('Until a thousand are answered', Math.round(untilAllAnswered), 20_000)
    measured('Resident memory of each', Math.round(rssGrowth / 1_000 / 1_000), MAX_KB_EACH, 'kB')
  } finally {
    await server?.stop()
  }
})
