import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgresEngine } from '../../bench/engines'
import type { Instance } from '../../bench/instance'
import { startLoader, type Loader } from '../../bench/loader'
import { faultsOf, makeMixedWorld, openPayments } from '../../bench/mixed-world'
import { freePort } from '../programs/free-port'
import { NO_POSTGRES } from '../databases/postgres'
import { startReadyProxy } from '../programs/ready-proxy'

/** Few enough that a busy machine sheds none of them. */
const PER_SECOND = 20
/** The load goes on in slices until both instances are back. */
const SLICE = 200
/** Longer than the proxy needs to notice, which is one poll. */
const DRAIN_SECONDS = 3

let loader: Loader
beforeAll(() => {
  loader = startLoader()
})
afterAll(() => loader.stop())

it('a restart of two instances behind a proxy, one after the other, loses no request', async (test) => {
  const engine = await startPostgresEngine()
  if (engine === undefined) return test.skip(NO_POSTGRES)
  try {
    const world = await makeMixedWorld(engine, 4 * SLICE)
    const ports = [world.port, await freePort()]
    const start = (port: number) => world.start(port, { DRAIN_SECONDS: String(DRAIN_SECONDS) })
    const instances: Instance[] = []
    for (const port of ports) instances.push(await start(port))
    const proxy = await startReadyProxy(ports)
    await Promise.all(ports.map((port) => proxy.seesReady(port)))
    const paid: string[] = []
    const over = new AbortController()
    const load = (async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { requests, hashAt } = await world.take(SLICE)
        const result = await loader.run({
          ports: [proxy.port],
          requests,
          once: true,
          durationMs: (SLICE / PER_SECOND) * 1_000,
          arrival: { kind: 'open', perSecond: PER_SECOND, maxConcurrent: 400 },
        })
        expect([result.statuses, result.notSent], JSON.stringify(result.oddAnswers)).toEqual([{ 200: SLICE }, 0])
        paid.push(...result.done.map(hashAt))
      }
    })()
    // Reported when it is awaited below.
    load.catch(() => undefined)
    await expect.poll(() => proxy.passed()).toBeGreaterThan(2 * PER_SECOND)
    for (const [index, port] of ports.entries()) {
      await instances[index]?.stop()
      instances[index] = await start(port)
      await proxy.seesReady(port)
    }
    over.abort()
    await load
    console.log(`Rolling restart: ${proxy.passed()} requests passed`)
    await proxy.stop()
    await Promise.all(instances.map((each) => each.stop()))
    await world.stop()
    expect(await engine.withDatabase((db) => faultsOf(db, paid))).toEqual([])
    expect(await engine.withDatabase(openPayments)).toBe(0)
  } finally {
    await engine.stop()
  }
})
