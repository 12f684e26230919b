import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { openDatabase } from '@/lib/platform/db/open-database'
import { startPostgresEngine, type Engine } from '../../bench/engines'
import type { Instance } from '../../bench/instance'
import { NO_POSTGRES, startTestPostgres, type TestPostgres } from '../databases/postgres'
import { startStandby } from '../databases/standby'
import { startTcpProxy } from '../databases/tcp-proxy'
import { faultsOf, makeMixedWorld, type MixedWorld } from '../load/mixed-fixture'
import { startCaddy } from '../programs/caddy'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'

// The fail-over of docs/operate.md: two instances behind Caddy, whose database server dies under load.

const PER_SECOND = 30
/** As `RestartSec` of deploy/vasp@.service. */
const RESTART_MS = 2_000
const BEFORE_MS = 8_000
/** How far an asynchronous standby is behind. */
const BEHIND_MS = 2_500
/** From the death of the primary until an operator promotes the standby. */
const NOTICED_MS = 3_000
const AFTER_MS = 8_000

interface Answer {
  readonly sentAtMs: number
  readonly ms: number
  readonly status: number
  /** Undefined for a read. */
  readonly paymentHash: string | undefined
}

it.for([
  ['synchronous', 'no payment that was answered'],
  ['asynchronous', 'only what the standby had not received, and finds the difference with the peer'],
] as const)('a fail-over to the %s standby loses %s', async ([kind], test) => {
  const missing = missingPackages(['caddy'])
  if (missing !== undefined) return test.skip(missing)
  const primary = await startTestPostgres({ fsync: true, own: true })
  if (primary === undefined) return test.skip(NO_POSTGRES)
  const replication = await startTcpProxy(primary.adminUrl)
  const standby = await startStandby(replication.url)
  const url = await primary.createDatabase()
  const address = await startTcpProxy(url)
  if (kind === 'synchronous') await waitForStandby(primary)
  const world = await makeMixedWorld(engineAt(address.url, primary), PER_SECOND * 60)
  const ports = [world.port, await freePort()]
  const proxyPort = await freePort()
  const service = await startService(world, ports)
  const caddy = await startCaddy({ site: `:${proxyPort}`, upstreams: ports })
  try {
    await expect.poll(() => statusOf(proxyPort, '/-/serving'), { timeout: 60_000 }).toBe(200)
    const load = startLoad(proxyPort, world)
    await sleep(BEFORE_MS)
    if (kind === 'asynchronous') {
      await replication.cut()
      await sleep(BEHIND_MS)
    }
    const diedAtMs = performance.now()
    await primary.stop()
    await sleep(NOTICED_MS)
    const promoteAtMs = performance.now()
    await standby.promote()
    address.aim(standby.urlOf(url))
    const promotedAtMs = performance.now()
    await expect.poll(() => service.starts(), { timeout: 60_000 }).toEqual([2, 2])
    await expect.poll(() => statusOf(proxyPort, '/-/serving'), { timeout: 60_000 }).toBe(200)
    await sleep(AFTER_MS)
    const answers = await load.stop()

    const paid = (from: number, to: number): Answer[] =>
      answers.filter(
        ({ sentAtMs, status, paymentHash }) =>
          paymentHash !== undefined && status === 200 && sentAtMs >= from && sentAtMs < to,
      )
    const hashes = (of: readonly Answer[]): string[] => of.flatMap(({ paymentHash }) => paymentHash ?? [])
    const faults = await engineAt(address.url, primary).withDatabase((db) =>
      faultsOf(db, hashes(answers.filter(({ status }) => status === 200))),
    )
    // Payments to a peer in review are refused for another reason.
    const refused = answers.filter(({ status, paymentHash }) => status !== 200 && paymentHash === undefined)
    const lastRefusedMs = Math.max(...refused.map(({ sentAtMs, ms }) => sentAtMs + ms))
    const before = paid(0, diedAtMs - BEHIND_MS)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b)
    console.log(
      `Fail-over to the ${kind} standby: ${JSON.stringify({
        answered: countBy(answers.map(({ status }) => status)),
        promotedInMs: Math.round(promotedAtMs - promoteAtMs),
        servedAfterPromotionMs: Math.round(lastRefusedMs - promotedAtMs),
        paymentMsBefore: [0.5, 0.95].map((part) => Math.round(before[Math.floor(before.length * part)] ?? 0)),
        paidBefore: paid(0, diedAtMs).length,
        paidAfter: paid(promotedAtMs, Infinity).length,
        lost: faults.length,
      })}`,
    )
    expect(paid(promotedAtMs, Infinity).length).toBeGreaterThan(10)
    if (kind === 'synchronous') return expect(faults).toEqual([])
    // Every fault is a lost payment, from the time in which the standby received nothing. The books balance.
    expect(faults.length).toBeGreaterThan(0)
    const unreceived = hashes(paid(diedAtMs - BEHIND_MS - 500, diedAtMs))
    expect(faults.map((fault) => fault.split(' ')[1] ?? fault).filter((hash) => !unreceived.includes(hash))).toEqual([])
    await expect.poll(() => peersOf(world.port), { timeout: 10_000 }).toBe('review')
  } finally {
    await service.stop()
    await caddy.stop()
    await world.stop()
    await address.stop()
    await standby.stop()
    await replication.stop()
    await primary.stop()
  }
})

/** The database at an address that may lead to another server later. The other VASP has a server of its own. */
function engineAt(url: string, primary: TestPostgres): Engine {
  return {
    name: 'postgres',
    title: 'PostgreSQL with a standby',
    env: { DATABASE_URL: url },
    url,
    cpuSeconds: () => 0,
    async withDatabase(work) {
      const db = await openDatabase({ databaseUrl: url, dataDir: '', log: () => {} })
      try {
        return await work(db)
      } finally {
        await db.close()
      }
    },
    restart: () => primary.restart(),
    async sibling() {
      const other = await startPostgresEngine()
      if (other === undefined) throw new Error(NO_POSTGRES)
      return other
    },
    stop: () => Promise.resolve(),
  }
}

/** As deploy/standby/primary.conf. */
async function waitForStandby({ adminUrl }: TestPostgres): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(`alter system set synchronous_standby_names = 'standby'`)
  await client.query('select pg_reload_conf()')
  const text = `select 1 from pg_stat_replication where sync_state = 'sync'`
  await expect.poll(async () => (await client.query(text)).rowCount, { timeout: 20_000 }).toBe(1)
  await client.end()
}

interface Service {
  /** How often each instance has started. */
  starts(): number[]
  stop(): Promise<void>
}

/** Starts the instances, and each again when it has ended, as systemd does. */
async function startService(world: MixedWorld, ports: readonly number[]): Promise<Service> {
  const start = (port: number): Promise<Instance> => world.start(port, { TRUSTED_PROXIES: '127.0.0.1' })
  const running: Instance[] = []
  // The other VASP starts with the first instance.
  for (const port of ports) running.push(await start(port))
  const counts = ports.map(() => 1)
  const over = new AbortController()
  const keep = async (port: number, place: number): Promise<void> => {
    for (;;) {
      await running[place]?.ended
      if (over.signal.aborted) return
      await running[place]?.stop()
      await sleep(RESTART_MS)
      const next = await start(port).catch(() => undefined)
      if (next === undefined) continue
      running[place] = next
      counts[place] = (counts[place] ?? 0) + 1
    }
  }
  const all = ports.map(keep)
  return {
    starts: () => [...counts],
    async stop() {
      over.abort()
      await Promise.all(running.map((instance) => instance.stop()))
      await Promise.all(all)
    },
  }
}

/** Sends requests at a fixed rate, also while none is answered. */
function startLoad(port: number, world: MixedWorld): { stop(): Promise<Answer[]> } {
  const agent = new Agent({ keepAlive: true })
  const pending: Promise<Answer>[] = []
  const over = new AbortController()
  const run = async (): Promise<void> => {
    // Before the database goes: no more can be made then.
    const batch = await world.take(PER_SECOND * 60)
    for (const [place, each] of batch.requests.entries()) {
      if (over.signal.aborted) return
      const { method, path, headers, body } = each
      const paymentHash = method === 'POST' ? batch.hashAt(place) : undefined
      const sentAtMs = performance.now()
      const answer = statusOf(port, path, { method, headers: { ...headers, Host: batch.host }, agent }, body)
      pending.push(answer.then((status) => ({ sentAtMs, ms: performance.now() - sentAtMs, status, paymentHash })))
      await sleep(1_000 / PER_SECOND)
    }
  }
  const running = run()
  return {
    async stop() {
      over.abort()
      await running
      const answers = await Promise.all(pending)
      agent.destroy()
      return answers
    },
  }
}

/** 0 when the connection ends without an answer. */
async function statusOf(
  port: number,
  path: string,
  options: Parameters<typeof request>[1] = {},
  body = '',
): Promise<number> {
  const sent = request({ host: '127.0.0.1', port, path, timeout: 60_000, ...(options as object) })
  sent.end(body)
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'close')
    return response.statusCode ?? 0
  } catch {
    return 0
  }
}

async function peersOf(port: number): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/-/ready`)
  return ((await answer.json()) as { checks?: Record<string, unknown> }).checks?.['peers']
}

function countBy(values: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
