import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgresEngine } from '../../bench/engines'
import type { Instance } from '../../bench/instance'
import { startLoader, type Loader } from '../../bench/loader'
import { faultsOf, makeMixedWorld, openPayments } from '../../bench/mixed-world'
import { freePort } from '../free-port'
import { NO_POSTGRES } from '../postgres'
import { startReadyProxy } from '../ready-proxy'

const REQUESTS = 2_000
const PER_SECOND = 50
/** Longer than the proxy needs to notice, which is one poll. */
const DRAIN_SECONDS = 3

let loader: Loader
beforeAll(() => {
  loader = startLoader()
})
afterAll(() => loader.stop())

it('a restart of two instances behind a proxy, one after the other, loses none of 2,000 requests', async (test) => {
  const engine = await startPostgresEngine()
  if (engine === undefined) return test.skip(NO_POSTGRES)
  try {
    const world = await makeMixedWorld(engine, REQUESTS)
    const ports = [world.port, await freePort()]
    const start = (port: number) => world.start(port, { DRAIN_SECONDS: String(DRAIN_SECONDS) })
    const instances: Instance[] = []
    for (const port of ports) instances.push(await start(port))
    const proxy = await startReadyProxy(ports)
    await Promise.all(ports.map((port) => proxy.seesReady(port)))
    const { requests, hashAt } = await world.take(REQUESTS)
    const load = loader.run({
      ports: [proxy.port],
      requests,
      once: true,
      durationMs: (REQUESTS / PER_SECOND) * 1_000,
      arrival: { kind: 'open', perSecond: PER_SECOND, maxConcurrent: 400 },
    })
    await expect.poll(() => proxy.passed()).toBeGreaterThan(2 * PER_SECOND)
    for (const [index, port] of ports.entries()) {
      await instances[index]?.stop()
      instances[index] = await start(port)
      await proxy.seesReady(port)
    }
    const passedAtRestart = proxy.passed()
    const result = await load
    console.log(`Rolling restart: ${passedAtRestart} of ${REQUESTS} requests passed when both instances were back`)
    await proxy.stop()
    await Promise.all(instances.map((each) => each.stop()))
    await world.stop()
    expect([result.statuses, result.notSent], JSON.stringify(result.oddAnswers)).toEqual([{ 200: REQUESTS }, 0])
    // The load lasted longer than the restarts.
    expect(passedAtRestart).toBeLessThan(REQUESTS)
    expect(await engine.withDatabase((db) => faultsOf(db, result.done.map(hashAt)))).toEqual([])
    expect(await engine.withDatabase(openPayments)).toBe(0)
  } finally {
    await engine.stop()
  }
})
