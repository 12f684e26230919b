import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '@/lib/metrics/metrics'
import { findProgram, missingPackages } from '../programs/debian'

const missing = missingPackages(['promtool'])
const promtool = (args: readonly string[], input = ''): SpawnSyncReturns<string> =>
  spawnSync(findProgram('promtool') ?? '', args, { input, encoding: 'utf8' })

/** Gauges of the library prom-client, whose names promtool would keep for counters. */
const EXCEPTIONS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

describe('promtool', () => {
  it('sees each alert of deploy/alerts.yml fire when it should, and not beside it', ({ skip }) => {
    if (missing !== undefined) return skip(missing)
    const { status, stdout, stderr } = promtool(['test', 'rules', 'test/deploy/alerts.yml'])
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')])
  })

  it('accepts deploy/prometheus.yml with the rules beside it', ({ skip }) => {
    if (missing !== undefined) return skip(missing)
    const { status, stdout, stderr } = promtool(['check', 'config', 'deploy/prometheus.yml'])
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/)])
  })

  it('has no objection to the names of the metrics, except for those of the library', async ({ skip }) => {
    if (missing !== undefined) return skip(missing)
    const samples = {
      openPayments: [{ state: 'sending', peer: 'peer.example', count: 2, oldestSeconds: 90 }],
      queues: { calls: 3 },
      connections: { open: 4, idle: 1, waiting: 0 },
      audit: { isOk: true, ageSeconds: Infinity },
      droppedEvents: 0,
      isDatabaseUp: false,
      isDatabaseStoring: false,
      databaseBytes: undefined,
      suspenseMsats: undefined,
      isNodeReady: true,
      channels: undefined,
      arePeersOk: true,
    }
    const { stdout, stderr } = promtool(['check', 'metrics'], await createMetrics().text(samples))
    const objections = `${stdout}${stderr}`.trim().split('\n').toSorted()
    expect(objections).toEqual(EXCEPTIONS.map((name) => `${name} non-counter metrics should not have "_total" suffix`))
  })
})
