import { readFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { freePort } from '@/test/programs/free-port'
import { NO_EVENTS } from '../events/recorder'
import type { NewEvent } from '../events/types'
import { buildInfo } from '../platform/build-info'
import { createMetrics, type Metrics } from './metrics'
import type { Samples } from './samples'
import { serveMetrics } from './server'

const SAMPLES: Samples = {
  openPayments: [{ state: 'sending', peer: 'peer.example', count: 2, oldestSeconds: 90 }],
  queues: { calls: 3 },
  connections: { open: 4, idle: 1, waiting: 0 },
  audit: { isOk: true, ageSeconds: 12 },
  droppedEvents: 0,
  isDatabaseUp: true,
  isDatabaseStoring: true,
  databaseBytes: 12_000_000,
  suspenseMsats: 0,
  isNodeReady: true,
  channels: undefined,
  arePeersOk: true,
}
const CALL: NewEvent = { kind: 'api_call', name: 'GET /balance', status: 200, durationMs: 20 }

function counted(metrics: Metrics, ...events: NewEvent[]): Promise<string> {
  const recorder = metrics.withEvents(NO_EVENTS)
  for (const event of events) recorder.record(event)
  return metrics.text(SAMPLES)
}

describe('the metrics', () => {
  it('count requests by kind, route and status, with their time', async () => {
    const text = await counted(createMetrics(), CALL, CALL, { ...CALL, status: 404 })
    expect(text).toContain('vasp_requests_total{kind="api_call",route="GET /balance",status="200"} 2')
    expect(text).toContain('vasp_requests_total{kind="api_call",route="GET /balance",status="404"} 1')
    expect(text).toContain('vasp_request_duration_seconds_bucket{le="0.025",kind="api_call",route="GET /balance"} 3')
  })

  it('count rejections by reason', async () => {
    const metrics = createMetrics()
    metrics.countRejection('load')
    const text = await counted(metrics, { ...CALL, status: 401 }, { ...CALL, status: 429 }, { ...CALL, status: 400 })
    for (const reason of ['load', 'auth', 'limit']) expect(text).toContain(`vasp_rejected_total{reason="${reason}"} 1`)
    expect(text).not.toContain('reason="other"')
  })

  it('count pages without their address, with their time, and rejections outside the API', async () => {
    const metrics = createMetrics()
    metrics.countAnswer({ kind: 'page', method: 'GET', status: 200, ms: 20 })
    metrics.countAnswer({ kind: 'page', method: 'POST', status: 403, ms: 300 })
    metrics.countAnswer({ kind: 'message', method: 'POST', status: 429, ms: 1 })
    metrics.countAnswer({ kind: 'operator', method: 'GET', status: 503, ms: 1 })
    const text = await metrics.text(SAMPLES)
    expect(text).toContain('vasp_requests_total{kind="page",route="page",status="200"} 1')
    expect(text).toContain('vasp_requests_total{kind="page",route="form",status="403"} 1')
    expect(text).toContain('vasp_request_duration_seconds_bucket{le="0.025",kind="page",route="page"} 1')
    expect(text).toContain('vasp_request_duration_seconds_bucket{le="0.25",kind="page",route="form"} 0')
    expect(text).toContain('vasp_request_duration_seconds_sum{kind="page",route="form"} 0.3')
    expect(text).not.toMatch(/kind="(message|operator)"/)
    for (const reason of ['auth', 'limit']) expect(text).toContain(`vasp_rejected_total{reason="${reason}"} 1`)
  })

  it('name the build', async () => {
    const { version, commit } = buildInfo()
    expect(await createMetrics().text(SAMPLES)).toContain(`vasp_build_info{version="${version}",commit="${commit}"} 1`)
  })

  it('count payments by state and method', async () => {
    const text = await counted(
      createMetrics(),
      { kind: 'payment', name: 'payment succeeded', detail: { facts: { method: 'internal' } } },
      { kind: 'payment', name: 'payment held' },
      { kind: 'payment', name: 'payment received' },
    )
    expect(text).toContain('vasp_payments_total{state="succeeded",method="internal"} 1')
    expect(text).toContain('vasp_payments_total{state="held",method="lightning"} 1')
    expect(text.match(/^vasp_payments_total\{/gm)).toHaveLength(2)
  })

  it('count sign-ins by result', async () => {
    const metrics = createMetrics()
    const results = ['wrong', 'wrong', 2, 'right', 'suspended'] as const
    for (const result of results) {
      const throttle = metrics.withSignIns({ attempt: async () => result })
      expect(await throttle.attempt('alice', async () => 'right')).toBe(result)
    }
    const text = await metrics.text(SAMPLES)
    expect(text).toContain('vasp_sign_ins_total{result="failed"} 2')
    expect(text).toContain('vasp_sign_ins_total{result="throttled"} 1')
    expect(text).toContain('vasp_sign_ins_total{result="signed in"} 1')
  })

  it('name no user', async () => {
    expect(await counted(createMetrics(), { ...CALL, userId: 'alice' })).not.toContain('alice')
  })

  it('show that the database does not store', async () => {
    const metrics = createMetrics()
    expect(await metrics.text(SAMPLES)).toContain('vasp_database_writes 1')
    const text = await metrics.text({ ...SAMPLES, isDatabaseStoring: false })
    expect(text).toContain('vasp_database_up 1')
    expect(text).toContain('vasp_database_writes 0')
  })

  it('show what an operator has to review', async () => {
    const metrics = createMetrics()
    const well = await metrics.text(SAMPLES)
    for (const line of [
      'vasp_suspense_msats 0',
      'vasp_node_ready 1',
      'vasp_peers_ok 1',
      'vasp_database_bytes 12000000',
    ])
      expect(well).toContain(`${line}\n`)
    const wrong = { suspenseMsats: -5_000, isNodeReady: false, arePeersOk: false, databaseBytes: undefined }
    const text = await metrics.text({ ...SAMPLES, ...wrong })
    for (const line of ['vasp_suspense_msats -5000', 'vasp_node_ready 0', 'vasp_peers_ok 0', 'vasp_database_bytes Nan'])
      expect(text).toContain(`${line}\n`)
  })

  it('show channels and liquidity of a node that has channels, and nothing of them for another one', async () => {
    const metrics = createMetrics()
    expect(await metrics.text(SAMPLES)).not.toMatch(/^vasp_node_(?!ready)\w+[ {]/m)
    const channels = { isSynced: true, activeChannels: 2, inactiveChannels: 1 }
    const text = await metrics.text({
      ...SAMPLES,
      channels: { ...channels, outboundSats: 40_000, inboundSats: 3_000, paymentsInFlight: 4 },
    })
    for (const line of [
      'vasp_node_synced{to="chain"} 1',
      'vasp_node_channels{state="active"} 2',
      'vasp_node_channels{state="inactive"} 1',
      'vasp_node_liquidity_sats{direction="outbound"} 40000',
      'vasp_node_liquidity_sats{direction="inbound"} 3000',
      'vasp_node_payments_in_flight{direction="outgoing"} 4',
    ])
      expect(text).toContain(`${line}\n`)
    expect(await metrics.text(SAMPLES)).not.toContain('vasp_node_channels{')
  })

  it('forget a peer without open payments', async () => {
    const metrics = createMetrics()
    expect(await metrics.text(SAMPLES)).toContain('vasp_oldest_sending_seconds{peer="peer.example"} 90')
    expect(await metrics.text({ ...SAMPLES, openPayments: [] })).not.toContain('peer.example')
  })
})

describe('the Grafana dashboard', () => {
  const Dashboard = z.object({
    panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
  })
  const { panels } = Dashboard.parse(JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')))
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))

  it.each(queries)('reads existing metrics: %s', async (_, expr) => {
    const text = await counted(createMetrics(), CALL)
    const existing = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
    const names = [...expr.matchAll(/\b(?:vasp|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))
    expect(names).not.toEqual([])
    for (const name of names) expect(existing).toContain(name)
  })

  it('shows every metric of this VASP', async () => {
    const text = await counted(createMetrics(), CALL)
    const own = [...text.matchAll(/^# TYPE (vasp_\w+)/gm)].map(([, name = '']) => name)
    const shown = queries.map(([, expr]) => expr).join(' ')
    for (const name of own) expect(shown).toContain(name)
  })
})

describe('deploy/alerts.yml', () => {
  const Rules = z.object({
    groups: z.tuple([z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })]),
  })
  const [{ rules }] = Rules.parse(parseYaml(readFileSync('deploy/alerts.yml', 'utf8'))).groups
  const tested = readFileSync('test/deploy/alerts.yml', 'utf8')
  const section = /^### Alerts\n[^]*?\n(?=##)/m.exec(readFileSync('docs/operate.md', 'utf8'))?.[0] ?? ''

  it.each(rules.map(({ alert, expr }) => [alert, expr]))('reads existing metrics: %s', async (_, expr) => {
    const text = await counted(createMetrics(), CALL)
    const existing = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
    // Prometheus writes `up` itself. The disk's metrics are those of prometheus-node-exporter.
    const names = [...expr.matchAll(/\b(?:vasp|nodejs|process)_\w+|\bup\b|\bnode_filesystem_\w+/g)].map(
      ([name]) => name,
    )
    expect(names).not.toEqual([])
    for (const name of names.filter((each) => /^(?:vasp|nodejs|process)_/.test(each)))
      expect(existing).toContain(name.replace(/_bucket$/, ''))
  })

  it.each(rules.map(({ alert }) => alert))('has a test and a line in docs/operate.md: %s', (alert) => {
    expect(tested.split(`alertname: ${alert}\n`).length).toBeGreaterThan(2)
    expect(section).toContain(`| \`${alert}\``)
  })
})

describe('the metrics server', () => {
  it('answers GET /metrics and nothing else', async () => {
    const port = await freePort()
    const close = await serveMetrics(
      { host: '127.0.0.1', port },
      { contentType: 'text/plain', text: async () => 'a 1\n' },
    )
    const url = `http://127.0.0.1:${port}`
    try {
      expect(await (await fetch(`${url}/metrics`)).text()).toBe('a 1\n')
      const head = await fetch(`${url}/metrics`, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/plain', ''])
      expect((await fetch(`${url}/other`, { method: 'HEAD' })).status).toBe(404)
      expect((await fetch(`${url}/`)).status).toBe(404)
      expect((await fetch(`${url}/metrics?target=northbank`)).status).toBe(200)
      for (const method of ['POST', 'OPTIONS', 'DELETE']) {
        const refused = await fetch(`${url}/metrics`, { method })
        expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      }
      await expect(
        serveMetrics({ host: '127.0.0.1', port }, { contentType: 'text/plain', text: async () => '' }),
      ).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringMatching(/^METRICS_PORT .* in use/) as string,
      })
    } finally {
      close()
    }
  })
})
