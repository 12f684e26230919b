import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/programs/free-port'
import { scriptPath } from '../test/programs/script'
import {
  amountFor,
  deadlineMs,
  measuredOn,
  measureInTurns,
  rowOn,
  type Measured,
  type Samples,
  type Scale,
} from './cells'
import type { Engine } from './engines'
import { identityEnv, newIdentity, startServer } from './instance'
import { startLoader } from './loader'
import { cpuMs, inTurns, watchCpu } from './measure'
import { cpuSecondsOfFamily, memoryMbOfFamily } from './process-use'
import { get } from './requests'
import { BALANCE, BETWEEN_VASPS, PAYMENT, rowNamed } from './rows'
import { call, type Side } from './side'
import { databaseOf, statementsOf } from './statements'
import { median, pairedRatio, spreadOf, type Spread } from './statistics'

// What is measured beside the rows. Each function returns lines of a table.

/** One figure of each commit, in the order of the sides. */
export interface Figure {
  readonly what: string
  readonly spreads: readonly (Spread | undefined)[]
  /** At most this. */
  readonly aim?: number
}

const CALLERS = 10
const SHARE_OF_MOST = 1 / 3
const MAX_CONCURRENT = 256
const COUNTED_CALLS = 10
const BETWEEN_CALLS_MS = 300
const SHOWN_TASKS = 8

/** Compared with servers that only do what the call cannot do without, on the database of the last side. PostgreSQL only. */
export async function limits(sides: readonly Side[], scale: Scale): Promise<Figure[]> {
  const { home } = sides.at(-1) ?? missing()
  const child = fork(scriptPath('bench/bare-server.ts'), { env: { ...process.env, ...home.env } })
  const [port] = (await once(child, 'message')) as [number]
  const used = { pids: [child.pid ?? 0], databaseCpuSeconds: () => home.engine.cpuSeconds() }
  const target = { ...used, port, host: 'localhost', callers: CALLERS, expects: 200 }
  const bare = (path: string): Measured => measuredOn(target, () => [get(path)], scale)
  const posting: Measured['measure'] = async (amount) => {
    const cpu = watchCpu(used)
    const startedAt = performance.now()
    const done = once(child, 'message', { signal: AbortSignal.timeout(deadlineMs(scale)) })
    child.send(amount)
    await done
    return { ...cpu(amount), perSecond: (amount * 1000) / (performance.now() - startedAt), p50Ms: 0, p99Ms: 0 }
  }
  const against = async (what: string, row: string, limit: Measured, aim?: number): Promise<Figure> => {
    const all = sides.map((side) => rowOn(side, rowNamed(row), CALLERS, scale))
    const [least, ...ours] = await measureInTurns(what, [limit, ...all], scale)
    return { what, spreads: ours.map((samples) => ratioOf(least, samples)), ...(aim === undefined ? {} : { aim }) }
  }
  try {
    return [
      await against('GET /balance : bare `node:http` + one prepared read', BALANCE, bare('/balance'), 1),
      await against('GET /balance : bare `node:http`, a constant', BALANCE, bare('/')),
      await against(
        'Payment inside : one posting through `pg`',
        PAYMENT,
        { measure: posting, amount: () => amountFor(posting, CALLERS, scale) },
        2,
      ),
    ]
  } finally {
    child.kill('SIGKILL')
  }
}

export function ratioOf(before: Samples, after: Samples): Spread | undefined {
  return before === undefined || after === undefined ? undefined : pairedRatio(before.map(cpuMs), after.map(cpuMs))
}

/** The statements of one call between two VASPs before its answer, each one round trip: the payer's and the payee's. */
export async function roundTrips(side: Side): Promise<{ what: string; trips: string; names: string }[]> {
  const { home, abroad } = side
  const rows = []
  for (const what of Object.values(BETWEEN_VASPS)) {
    const requests = await rowNamed(what).requests(side, COUNTED_CALLS)
    const { result: windows, executed } = await statementsOf(home.engine, async () => {
      const answered: { from: number; to: number }[] = []
      for (let index = 0; index < COUNTED_CALLS; index++) {
        await sleep(BETWEEN_CALLS_MS)
        const from = Date.now()
        await call(home, requests[index % requests.length] ?? get('/'))
        answered.push({ from, to: Date.now() })
      }
      return answered
    })
    const listed = [home, abroad].map(({ engine }) => {
      const times = new Map<string, number>()
      for (const { atMs, database, name } of executed)
        if (database === databaseOf(engine) && windows.some(({ from, to }) => atMs >= from && atMs <= to))
          times.set(name, (times.get(name) ?? 0) + 1)
      // A periodic task falls into one call in many.
      return [...times].flatMap(([name, count]) =>
        Array.from({ length: Math.round(count / COUNTED_CALLS) }, () => name),
      )
    })
    const [payer = [], payee = []] = listed
    rows.push({
      what,
      trips: `${payer.length} + ${payee.length}`,
      names: listed.map((names) => names.join(', ')).join('; '),
    })
  }
  return rows
}

/** Of a server alone: the first start, on an empty database, and the second. */
export async function starts(engine: Engine, roots: readonly string[], { rounds }: Scale): Promise<Figure[]> {
  const one = async (root: string): Promise<number[]> => {
    const port = await freePort()
    const database = await engine.sibling()
    // The books belong to the node with this key.
    const env = { ...identityEnv(newIdentity(port)), ...database.env }
    const figures: number[] = []
    try {
      for (let start = 0; start < 2; start++) {
        const server = await startServer(root, port, env, '/-/ready')
        figures.push(server.startMs, cpuSecondsOfFamily(server.pid) * 1000, memoryMbOfFamily(server.pid))
        await server.stop()
      }
    } finally {
      await database.stop()
    }
    return figures
  }
  const runs = await inTurns(
    rounds,
    roots.map((root) => () => one(root)),
  )
  const names = ['ms until it is ready', 'ms of CPU of the server', 'MB of the server']
  return ['First start', 'Second start'].flatMap((start, at) =>
    names.map((name, index) => ({
      what: `${start}, ${name}`,
      spreads: runs.map((rounded) => spreadOf(rounded.map((figures) => figures[at * names.length + index] ?? NaN))),
    })),
  )
}

/** After the load of the rows. */
export async function rest(sides: readonly Side[], { rounds, seconds }: Scale): Promise<Figure[]> {
  const pids = sides.map(({ home }) => home.server.pid)
  const shares: number[][] = sides.map(() => [])
  const IDLE_SECONDS = 5 * seconds
  for (let round = 0; round < rounds; round++) {
    const before = pids.map(cpuSecondsOfFamily)
    await sleep(IDLE_SECONDS * 1000)
    for (const [index, pid] of pids.entries())
      shares[index]?.push((100 * (cpuSecondsOfFamily(pid) - (before[index] ?? NaN))) / IDLE_SECONDS)
  }
  return [
    { what: 'Memory of the server after the load, MB', spreads: pids.map((pid) => spreadOf([memoryMbOfFamily(pid)])) },
    { what: 'Idle server, per cent of a core', spreads: shares.map(spreadOf) },
  ]
}

/** The longest execution of each statement of servers that nobody calls. PostgreSQL only. */
export async function periodicTasks(sides: readonly Side[], { seconds }: Scale): Promise<Figure[]> {
  const { executed } = await statementsOf((sides[0] ?? missing()).home.engine, () => sleep(15_000 * seconds))
  const longest = sides.map(({ home: { engine } }) => {
    const found = new Map<string, number>()
    for (const { database, name, ms } of executed)
      if (database === databaseOf(engine)) found.set(name, Math.max(ms, found.get(name) ?? 0))
    return found
  })
  const names = [...new Set(longest.flatMap((found) => [...found.keys()]))]
  const most = (name: string): number => Math.max(...longest.map((found) => found.get(name) ?? 0))
  return names
    .toSorted((a, b) => most(b) - most(a))
    .slice(0, SHOWN_TASKS)
    .map((name) => {
      const each = longest.map((found) => found.get(name))
      return { what: `\`${name}\`, ms`, spreads: each.map((ms) => (ms === undefined ? undefined : spreadOf([ms]))) }
    })
}

/** Whether a second instance makes a request more expensive, at a third of the maximum load of one instance. PostgreSQL only. */
export async function twoInstances(sides: readonly Side[], scale: Scale): Promise<Figure[]> {
  const loader = startLoader()
  const growth = async (side: Side, what: string): Promise<Spread> => {
    const { home, root } = side
    const [row, durationMs] = [rowNamed(what), scale.seconds * 1000]
    const second = await startServer(root, await freePort(), home.env)
    try {
      const closed = rowOn(side, row, CALLERS, scale)
      const perSecond = (await closed.measure(await closed.amount())).perSecond * SHARE_OF_MOST
      const at = async (instances: readonly { readonly port: number; readonly pid: number }[]): Promise<number> => {
        const requests = await row.requests(side, Math.ceil(perSecond * scale.seconds))
        const cpu = watchCpu({
          pids: instances.map(({ pid }) => pid),
          databaseCpuSeconds: () => home.engine.cpuSeconds(),
        })
        const { statuses, oddAnswers } = await loader.run({
          ports: instances.map(({ port }) => port),
          host: home.identity.domain,
          requests,
          once: row.once === true,
          durationMs,
          arrival: { kind: 'open', perSecond, maxConcurrent: MAX_CONCURRENT },
        })
        if (Object.keys(statuses).join() !== '200') throw new Error(JSON.stringify({ statuses, oddAnswers }))
        const { serverMs, databaseMs } = cpu(statuses[200] ?? 0)
        return serverMs + databaseMs
      }
      await at([home.server, second])
      const turns = [() => at([home.server]), () => at([home.server, second])]
      const [one = [], two = []] = await inTurns(scale.rounds, turns)
      return pairedRatio(one, two)
    } finally {
      await second.stop()
    }
  }
  try {
    const figures: Figure[] = []
    for (const [what, aim] of [
      [BALANCE, 1.5],
      [PAYMENT, 1.15],
    ] as const) {
      const spreads: Spread[] = []
      for (const side of sides) spreads.push(await growth(side, what))
      figures.push({ what: `${what}: CPU with two instances : one`, spreads, aim })
    }
    return figures
  } finally {
    loader.stop()
  }
}

export function medianOf(samples: Samples, value: (sample: NonNullable<Samples>[number]) => number): number {
  return median((samples ?? []).map(value))
}

function missing(): never {
  throw new Error('There is no side.')
}
