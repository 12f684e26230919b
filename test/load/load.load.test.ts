import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbeddedEngine, startPostgresEngine, type Engine } from '../../bench/engines'
import { CALLERS } from '../../bench/load'
import { startLoader, type Loader } from '../../bench/loader'
import { watchMemory } from '../../bench/process-use'
import { NO_POSTGRES } from '../databases/postgres'
import { freePort } from '../programs/free-port'
import { faultsOf, makeMixedWorld, openPayments } from './mixed-fixture'
import { overload } from './overload'

// The load gate, on the production build: every answer is in the books, the books balance, and memory is bounded.

/** The embedded database handles less load, and gets the shorter of the two runs. */
const LOAD_MS = { postgres: 30_000, embedded: 15_000 }
/** More than any machine handles in this time: each payment is requested once. */
const MAX_REQUESTS_PER_SECOND = { postgres: 2_000, embedded: 1_000 }
const MAX_RESIDENT_MB = 350
const STORM_SECONDS = 10

let loader: Loader
beforeAll(() => {
  loader = startLoader()
})
afterAll(() => loader.stop())

async function expectOrderUnderLoad(engine: Engine): Promise<void> {
  const durationMs = LOAD_MS[engine.name]
  const count = (durationMs / 1000) * MAX_REQUESTS_PER_SECOND[engine.name]
  try {
    const world = await makeMixedWorld(engine, count)
    const metricsPort = await freePort()
    const server = await world.start(undefined, { METRICS_PORT: String(metricsPort) })
    const { hashAt, ...batch } = await world.take(count)
    const memory = watchMemory(server.pid)
    const result = await loader.run({
      ports: [world.port],
      ...batch,
      once: true,
      durationMs,
      arrival: { kind: 'closed', callers: CALLERS },
    })
    const residentMb = memory.stop()
    const counts = await scrape(metricsPort)
    await server.stop()
    await world.stop()
    const answered = result.done.map(hashAt)
    console.log(
      `Load on ${engine.name}: ${result.perSecond.toFixed(0)}/s, ${answered.length} payments in all, ${residentMb.toFixed(0)} MB`,
    )
    expect(result.statuses, JSON.stringify(result.oddAnswers)).toEqual({ 200: expect.any(Number) })
    expect(answered.length).toBeGreaterThan(0)
    expect(counts('vasp_requests_total{kind="api_call"')).toBe(result.statuses[200])
    expect(counts('vasp_request_duration_seconds_count{kind="api_call"')).toBe(result.statuses[200])
    expect(counts('vasp_payments_total{state="succeeded"')).toBe(answered.length)
    const payments = 'vasp_requests_total{kind="api_call",route="POST /payments/bolt11"'
    expect(counts(`${payments},status="200"`)).toBe(answered.length)
    expect(counts(payments)).toBe(answered.length)
    const sent = 'vasp_payments_total{state="succeeded",method="lightning"'
    expect(counts('vasp_payments_total{state="held",method="lightning"')).toBe(counts(sent))
    // The load asks for no page, makes no token exchange and no sign-in, and nothing was rejected. Health checks are not counted.
    for (const none of [
      'requests_total{kind="page"',
      'requests_total{kind="token_exchange"',
      'sign_ins_total{',
      'rejected_total{',
    ])
      expect(counts(`vasp_${none}`)).toBe(0)
    // The run did not end because requests ran out.
    expect(result.seconds * 1000).toBeGreaterThanOrEqual(durationMs)
    expect(await engine.withDatabase((db) => faultsOf(db, answered))).toEqual([])
    expect(await engine.withDatabase(openPayments)).toBe(0)
    expect(residentMb).toBeLessThanOrEqual(MAX_RESIDENT_MB)
  } finally {
    await engine.stop()
  }
}

/** Reads the metrics. The returned function adds up the samples whose lines begin with a text. */
async function scrape(port: number): Promise<(begin: string) => number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lines = text.split('\n')
  return (begin) =>
    lines.filter((line) => line.startsWith(begin)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('reads and payments, 80 to 20, at full load', () => {
  it('leave the embedded database with books that balance', async () => {
    await expectOrderUnderLoad(await startEmbeddedEngine())
  })

  it('leave a real server with books that balance', async (test) => {
    const engine = await startPostgresEngine()
    if (engine === undefined) return test.skip(NO_POSTGRES)
    return expectOrderUnderLoad(engine)
  })
})

describe('five times what the server can do', () => {
  it('is shed with a Retry-After, and loses no payment', async (test) => {
    const engine = await startPostgresEngine()
    if (engine === undefined) return test.skip(NO_POSTGRES)
    try {
      const world = await makeMixedWorld(engine, 40_000)
      const server = await world.start()
      const { faults, ...result } = await overload(loader, world, server, STORM_SECONDS)
      await server.stop()
      await world.stop()
      console.log(`Overload: ${JSON.stringify(result)}`)
      expect(faults).toEqual([])
      expect([result.unanswered, result.others, result.shedWithoutRetryAfter]).toEqual([0, 0, 0])
      expect(result.shed).toBeGreaterThan(0)
      expect(result.served).toBeGreaterThan(0)
      // Some payments were still in progress.
      expect(result.maxOpen).toBeGreaterThan(0)
    } finally {
      await engine.stop()
    }
  })
})
