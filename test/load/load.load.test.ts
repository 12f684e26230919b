import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbeddedEngine, startPostgresEngine, type Engine } from '../../bench/engines'
import { CALLERS } from '../../bench/limits'
import { startLoader, type Loader } from '../../bench/loader'
import { faultsOf, makeMixedWorld } from '../../bench/mixed-world'
import { overload } from '../../bench/overload'
import { watchMemory } from '../../bench/process-use'
import { NO_POSTGRES } from '../postgres'

// The load gate, on the production build: what was answered is in the books, the books balance, and the memory is bounded.

const LOAD_MS = 15_000
const MOST_RESIDENT_MB = 350
const STORM_SECONDS = 10
/** Turned away at the door, not after a wait for the database. What the load itself is late by is taken off. */
const MOST_MS_TO_SHED = 250
const MOST_SECONDS_TO_NORMAL = 30

let loader: Loader
beforeAll(() => {
  loader = startLoader()
})
afterAll(() => loader.stop())

async function expectOrderUnderLoad(engine: Engine, payments: number): Promise<void> {
  try {
    const world = await makeMixedWorld(engine, payments)
    const server = await world.start()
    const memory = watchMemory(server.pid)
    const result = await loader.run({
      ports: [world.port],
      requests: world.requests,
      durationMs: LOAD_MS,
      arrival: { kind: 'closed', callers: CALLERS },
    })
    const residentMb = memory.stop()
    await server.stop()
    const answered = result.done.map((place) => world.hashAt(place))
    console.log(
      `Load on ${engine.name}: ${result.perSecond.toFixed(0)}/s, of them ${answered.length} payments in all, ${residentMb.toFixed(0)} MB`,
    )
    expect(result.statuses, result.oddAnswer).toEqual({ 200: expect.any(Number) })
    expect(answered.length).toBeGreaterThan(0)
    expect(await engine.withDatabase((db) => faultsOf(db, answered))).toEqual([])
    expect(residentMb).toBeLessThanOrEqual(MOST_RESIDENT_MB)
  } finally {
    await engine.stop()
  }
}

describe('reads and payments, 80 to 20, at full load', () => {
  it('leave the embedded database with books that balance', async () => {
    await expectOrderUnderLoad(await startEmbeddedEngine(), 2_000)
  })

  it('leave a real server with books that balance', async (test) => {
    const engine = await startPostgresEngine()
    if (engine === undefined) return test.skip(NO_POSTGRES)
    return expectOrderUnderLoad(engine, 4_000)
  })
})

describe('five times what the server can do', () => {
  it('is shed with a time to come back, loses no payment, and is over in half a minute', async (test) => {
    const engine = await startPostgresEngine()
    if (engine === undefined) return test.skip(NO_POSTGRES)
    try {
      const world = await makeMixedWorld(engine, 3_000)
      const server = await world.start()
      const { faults, ...result } = await overload(loader, world, server, STORM_SECONDS)
      await server.stop()
      console.log(`Overload: ${JSON.stringify(result)}`)
      expect(faults).toEqual([])
      expect([result.unanswered, result.others, result.shedWithoutRetryAfter]).toEqual([0, 0, 0])
      expect(result.shed).toBeGreaterThan(0)
      expect(result.shedP99Ms - result.lateP99Ms).toBeLessThanOrEqual(MOST_MS_TO_SHED)
      expect(result.served).toBeGreaterThan(0)
      expect(result.secondsToNormal).toBeLessThanOrEqual(MOST_SECONDS_TO_NORMAL)
    } finally {
      await engine.stop()
    }
  })
})
