import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgresEngine } from '../../bench/engines'
import type { Instance } from '../../bench/instance'
import { startLoader, type Loader } from '../../bench/loader'
import { post } from '../../bench/requests'
import { NO_POSTGRES } from '../databases/postgres'
import { faultsOf, makeMixedWorld, openPayments, type Batch, type MixedWorld } from '../load/mixed-fixture'
import { startCaddy } from '../programs/caddy'
import { missingPackages } from '../programs/debian'
import { freePort } from '../programs/free-port'

/** How many requests have to be answered. `ROLLING_REQUESTS` is for longer runs by hand, with a round of restarts for each thousand. */
const REQUESTS = Number(process.env.ROLLING_REQUESTS ?? 1_000)
const ROUND_REQUESTS = 1_000
const PER_SECOND = 30
const SLICE = 200
/** The shortest time for the polls of deploy/Caddyfile. A longer one, as in deploy/vasp.env, only helps. */
const DRAIN_SECONDS = '6'

let loader: Loader
beforeAll(() => {
  loader = startLoader()
})
afterAll(() => loader.stop())

it('a restart of two instances behind Caddy, as docs/host.md describes it, loses no request', async (test) => {
  const missing = missingPackages(['caddy', 'curl'])
  if (missing !== undefined) return test.skip(missing)
  const engine = await startPostgresEngine()
  if (engine === undefined) return test.skip(NO_POSTGRES)
  try {
    const world = await makeMixedWorld(engine, REQUESTS + 4 * SLICE)
    const [ports, proxyPort] = [[world.port, await freePort()], await freePort()]
    const start = (port: number): Promise<Instance> =>
      world.start(port, { DRAIN_SECONDS, TRUSTED_PROXIES: '127.0.0.1' })
    const instances = new Map<number, Promise<Instance>>()
    for (const port of ports) {
      instances.set(port, start(port))
      await instances.get(port)
    }
    const systemctl = await standInForSystemctl(async (port) => {
      await (await instances.get(port))?.stop()
      const starting = start(port)
      starting.catch(() => undefined)
      instances.set(port, starting)
    })
    const caddy = await startCaddy({ site: `:${proxyPort}`, upstreams: ports })
    const answered: Record<number, number> = {}
    const odd: unknown[] = []
    const paid: string[] = []
    const sent = (): number => Object.values(answered).reduce((sum, count) => sum + count, 0)
    try {
      await expect.poll(async () => (await fetch(`http://127.0.0.1:${proxyPort}/-/serving`)).status).toBe(200)
      const restarts = (async () => {
        for (let round = 0; round < REQUESTS / ROUND_REQUESTS; round++) await systemctl.run(documentedLoop(ports))
        return 'done' as const
      })()
      restarts.catch(() => undefined)
      let state: 'running' | 'done' = 'running'
      while (state === 'running' || sent() < REQUESTS) {
        const { hashAt, ...batch } = halfPosts(await world.take(SLICE), world)
        const result = await loader.run({
          ports: [proxyPort],
          ...batch,
          once: true,
          durationMs: (SLICE / PER_SECOND) * 1_000,
          arrival: { kind: 'open', perSecond: PER_SECOND, maxConcurrent: 400 },
        })
        for (const [status, count] of Object.entries(result.statuses))
          answered[Number(status)] = (answered[Number(status)] ?? 0) + count
        if (Object.keys(result.oddAnswers).length > 0 || result.notSent > 0) odd.push(result.oddAnswers, result.notSent)
        paid.push(...result.done.map(hashAt).filter((hash) => hash !== undefined))
        state = await Promise.race([restarts, Promise.resolve('running' as const)])
      }
      await restarts
    } finally {
      await caddy.stop()
      await systemctl.stop()
      for (const instance of instances.values()) await (await instance).stop()
      await world.stop()
    }
    console.log(`Rolling restart behind Caddy: ${JSON.stringify(answered)}, of which half are POST`)
    expect({ answered, odd }).toEqual({ answered: { 200: sent() }, odd: [] })
    expect(paid.length).toBeGreaterThanOrEqual(REQUESTS / 5)
    expect(await engine.withDatabase((db) => faultsOf(db, paid))).toEqual([])
    expect(await engine.withDatabase(openPayments)).toBe(0)
  } finally {
    await engine.stop()
  }
})

/** The loop of docs/host.md for a new version, with these ports. */
function documentedLoop(ports: readonly number[]): string {
  const [loop = ''] = /^ *for port in 3000 3001; do\n[^]*?^ *done$/m.exec(readFileSync('docs/host.md', 'utf8')) ?? []
  expect(loop).toContain('systemctl restart vasp@$port')
  return loop.replace('3000 3001', ports.join(' '))
}

/** Of ten requests in turn, five read, two pay, and three create an invoice. */
function halfPosts({ requests, host, hashAt }: Batch, { cast: { users } }: MixedWorld) {
  const isInvoice = (place: number): boolean => [0, 2, 5].includes(place % 10)
  const invoices = users.map(({ token }) => post('/invoice', token, { amount: 1_000 }))
  return {
    host,
    requests: requests.map((request, place) =>
      isInvoice(place) ? (invoices[place % invoices.length] ?? request) : request,
    ),
    /** Undefined for an invoice. */
    hashAt: (place: number) => (isInvoice(place) ? undefined : hashAt(place)),
  }
}

interface Systemctl {
  /** Runs shell commands in which `systemctl restart vasp@PORT` restarts an instance. */
  run(commands: string): Promise<void>
  stop(): Promise<void>
}

/** Like systemd, it returns when the old process has ended and the new one has begun to start. */
async function standInForSystemctl(restart: (port: number) => Promise<void>): Promise<Systemctl> {
  const server = createServer((request, response) => {
    restart(Number(request.url?.slice(1))).then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const folder = mkdtempSync(join(tmpdir(), 'vasp-systemctl-'))
  const script = `#!/bin/sh\n[ "$1" = restart ] && exec curl --fail --silent --show-error "http://127.0.0.1:${port}/\${2#vasp@}"\n`
  writeFileSync(join(folder, 'systemctl'), script, { mode: 0o755 })
  return {
    async run(commands) {
      const shell = spawn('sh', ['-eu', '-c', commands], {
        env: { ...process.env, PATH: `${folder}:${process.env.PATH ?? ''}` },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const [said, [code]] = await Promise.all([text(shell.stderr), once(shell, 'exit')])
      if (code !== 0) throw new Error(`the loop of docs/host.md failed: ${said}`)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
