import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signIn } from '../sandbox/shared/fetch-token'
import type { RowPlan, Source } from './benchmarks'
import type { Engine } from './engines'
import { FIXTURES, type TokenAndInvoice, type World, type WorldInput } from './fixture-contract'
import { startServer, type Instance } from './instance'
import type { Cannon } from './loader'
import { cpuMs, shoot, type Sample, type Shot } from './measure'
import type { Scale } from './options'

/** One commit on one engine: its databases, and its servers while they run. */
export interface Side extends Source {
  readonly servers: readonly [Instance, Instance]
  readonly engine: Engine
  stop(): Promise<void>
}

export interface Supplies {
  readonly payments: number
  readonly outgoing: number
  readonly historyRows: number
}

/** Number of requests that compile the code of a row. */
const WARM_UP = 50
/** Until V8 has optimized the code of the row. */
const WARM_UP_SLICES = 4
const MIN_AMOUNT = 20

/** @param root the folder with the built commit. */
export async function startSide(engine: Engine, root: string, supplies: Supplies): Promise<Side> {
  const [ours, theirs] = [await engine.sibling(), await engine.sibling()]
  const databases = [ours, theirs].map(({ url, env }) => url ?? env['DATA_DIR'] ?? '') as [string, string]
  const world = await createWorld(root, { engine: engine.name, databases, ...supplies })
  const [first, second] = world.servers
  const servers: [Instance, Instance] = [
    await startServer(root, first.port, first.env),
    await startServer(root, second.port, second.env),
  ]
  const vaspOrigin = `http://localhost:${first.port}`
  const [payments, outgoing] = [[...world.payments], [...world.outgoing]]
  return {
    world,
    servers,
    engine,
    cookie: await signIn({ vaspOrigin, instance: world.instance, ...world.reader }),
    takePayments: (count) => take(payments, count),
    takeOutgoing: (count) => take(outgoing, count),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
      await ours.stop()
      await theirs.stop()
    },
  }
}

function take(supply: TokenAndInvoice[], count: number): TokenAndInvoice[] {
  if (supply.length < count) throw new Error('The bench has created too few invoices.')
  return supply.splice(0, count)
}

/** Runs the fixture of the commit. */
async function createWorld(root: string, input: Omit<WorldInput, 'output'>): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-bench-world-'))
  try {
    const output = join(folder, 'world.json')
    const text = JSON.stringify({ ...input, output } satisfies WorldInput)
    const fixture = FIXTURES.find((file) => existsSync(join(root, file))) ?? FIXTURES[0]
    const child = spawn(process.execPath, ['scripts/ready.mjs', fixture, text], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`${fixture} in ${root} ended with ${String(code)}.`)
    return JSON.parse(readFileSync(output, 'utf8')) as World
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One row on one side, ready to be measured repeatedly. */
export function shotsOf(cannon: Cannon, side: Side, row: RowPlan, scale: Scale) {
  const { engine, servers, world } = side
  const shot = async (count: number): Promise<Shot> => ({
    what: row.what,
    port: servers[0].port,
    host: `localhost:${world.servers[0].port}`,
    callers: row.callers,
    amount: count,
    requests: await row.requests(side, count),
    expects: row.expects,
    pids: row.servers === 'both' ? servers.map(({ pid }) => pid) : [servers[0].pid],
    databaseCpuSeconds: () => engine.cpuSeconds(),
  })
  return {
    /** Warms the row up. @returns how many requests one measurement needs. */
    async warmUp(): Promise<number> {
      const fixed = row.once?.(scale)
      const cold = await shoot(cannon, await shot(fixed ?? Math.max(WARM_UP, row.callers)))
      if (fixed !== undefined) return fixed
      const warm = await shoot(cannon, await shot(WARM_UP_SLICES * amountFor(cold, row.callers, scale)))
      return amountFor(warm, row.callers, scale)
    },
    measure: async (amount: number): Promise<Sample> => shoot(cannon, await shot(amount)),
  }
}

/** The number of requests that use the CPU time of one measurement. */
export function amountFor(sample: Sample, callers: number, { sliceMs }: Scale): number {
  return Math.max(MIN_AMOUNT, callers, Math.round(sliceMs / Math.max(cpuMs(sample), 0.01)))
}
