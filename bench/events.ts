import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../test/programs/free-port'
import { BALANCE, rowNamed } from './benchmarks'
import type { Side } from './build'
import { startServer, type Instance } from './instance'
import { cpuMs, inTurns, shoot, watchCpu, type Shot } from './measure'
import type { Bench, Ratio } from './ratio'
import { rawRequest } from './raw-connection'
import { median, pairedRatio, spreadOf } from './statistics'

const CALLERS = 10
const PER_SECOND = 200
const MAX_CONCURRENT = 256
/** The server trims the table every 10 seconds, so each round includes two trims. */
const RATE_MS = 20_000
const WARM_UP_MS = 5_000
/** Requests of one measurement at saturation for each millisecond of `sliceMs`. */
const AT_SATURATION = 10
const MAX_CPU_MS = 0.15
const MAX_FEWER = 0.15
const LOOK_EVERY_MS = 300

interface Measured {
  /** CPU time of a request in milliseconds: server and database. */
  readonly cpuMs: number
  readonly perSecond: number
  readonly requests: number
  readonly events: number
}

/** Measures `GET /balance` with and without the events of the sandbox tools, alternating between two servers of one database. */
export async function besideNoEvents(side: Side, bench: Bench): Promise<Ratio[]> {
  const [{ env }] = side.world.servers
  const start = async (mode: 'on' | 'off'): Promise<Instance> =>
    startServer('.', await freePort(), { ...env, SANDBOX_TOOLS: mode })
  const [on, off] = [await start('on'), await start('off')]
  const database = new Client({ connectionString: env['DATABASE_URL'] })
  await database.connect()
  try {
    // The side's own servers record events too. They are suspended, so that no timer of theirs runs during a round.
    for (const { pid } of side.servers) process.kill(pid, 'SIGSTOP')
    return await measure(side, bench, { on, off, database })
  } finally {
    await database.end()
    for (const { pid } of [...side.servers, on, off]) process.kill(pid, 'SIGCONT')
    await on.stop()
    await off.stop()
  }
}

interface Servers {
  readonly on: Instance
  readonly off: Instance
  readonly database: Client
}

async function measure(side: Side, bench: Bench, { on, off, database }: Servers): Promise<Ratio[]> {
  const { cannon, loader, scale, say } = bench
  const [{ port: ownPort }] = side.world.servers
  const requests = await rowNamed(BALANCE, CALLERS).requests(side, CALLERS)

  /** Measures one server, and counts the events that it stored, while the other server is idle. */
  async function alone(server: Instance, send: () => Promise<{ perSecond: number; requests: number; cpuMs: number }>) {
    const other = server === on ? off : on
    process.kill(other.pid, 'SIGSTOP')
    try {
      const before = await lastEventId(database)
      const sent = await send()
      const events = server === on ? (await untilStored(database)) - before : 0
      return { ...sent, events } satisfies Measured
    } finally {
      process.kill(other.pid, 'SIGCONT')
    }
  }

  const atRate = (server: Instance, durationMs = RATE_MS): Promise<Measured> =>
    alone(server, async () => {
      const cpu = watchCpu({ pids: [server.pid], databaseCpuSeconds: () => side.engine.cpuSeconds() })
      const { statuses, oddAnswers, perSecond } = await loader.run({
        ports: [server.port],
        requests: requests.map((request) => rawRequest(request, ownPort)),
        durationMs,
        arrival: { kind: 'open', perSecond: PER_SECOND, maxConcurrent: MAX_CONCURRENT },
      })
      const answers = statuses[200] ?? 0
      if (Object.keys(statuses).some((status) => status !== '200'))
        throw new Error(`${BALANCE} at ${PER_SECOND}/s: ${JSON.stringify({ statuses, oddAnswers })}`)
      // The last events are written after the last answer.
      if (server === on) await untilStored(database)
      const { serverMs, databaseMs } = cpu(answers)
      return { perSecond, requests: answers, cpuMs: serverMs + databaseMs }
    })

  const saturated = (server: Instance): Promise<Measured> =>
    alone(server, async () => {
      const amount = scale.sliceMs * AT_SATURATION
      const shot: Shot = {
        what: BALANCE,
        port: server.port,
        host: `localhost:${ownPort}`,
        callers: CALLERS,
        amount,
        requests,
        expects: 200,
        pids: [server.pid],
        databaseCpuSeconds: () => side.engine.cpuSeconds(),
      }
      const sample = await shoot(cannon, shot)
      return { perSecond: sample.perSecond, requests: amount, cpuMs: cpuMs(sample) }
    })

  for (const server of [on, off]) {
    await saturated(server)
    await atRate(server, WARM_UP_MS)
  }
  const rounds = Math.ceil(scale.rounds / 2)
  const [rateOff = [], rateOn = []] = await inTurns(rounds, [() => atRate(off), () => atRate(on)])
  const [mostOff = [], mostOn = []] = await inTurns(scale.rounds, [() => saturated(off), () => saturated(on)])
  const perEvent = rateOn.map((each, round) => each.cpuMs - (rateOff[round]?.cpuMs ?? Number.NaN))
  const least = (all: readonly Measured[]): string => Math.min(...all.map((each) => each.cpuMs)).toFixed(3)
  say(
    `  CPU of a request at this rate, minimum of ${rounds} rounds, ms: ${least(rateOff)} without events, ${least(rateOn)} with`,
  )
  const rate = (all: readonly Measured[]): string => median(all.map(({ perSecond }) => perSecond)).toFixed(0)
  const dropped = (all: readonly Measured[]): number => sum(all, (each) => each.requests - each.events)
  return [
    {
      what: `CPU of an event at ${PER_SECOND} \`${BALANCE}\` a second, ms`,
      spread: spreadOf(perEvent),
      target: MAX_CPU_MS,
    },
    {
      what: `Events dropped at this rate, of ${sum(rateOn, (each) => each.requests)}`,
      spread: spreadOf([dropped(rateOn)]),
      target: 0,
    },
    {
      what:
        `\`${BALANCE}\` a second with ${CALLERS} callers, without events : with events ` +
        `(${rate(mostOff)} : ${rate(mostOn)}, ${dropped(mostOn)} of ${sum(mostOn, (each) => each.requests)} events dropped)`,
      spread: pairedRatio(
        mostOn.map(({ perSecond }) => perSecond),
        mostOff.map(({ perSecond }) => perSecond),
      ),
      target: Number((1 / (1 - MAX_FEWER)).toFixed(2)),
    },
  ].map((ratio) => {
    say(
      `  ${ratio.what}: ${ratio.spread.median.toFixed(3)} (${ratio.spread.least.toFixed(3)} – ${ratio.spread.most.toFixed(3)})`,
    )
    return ratio
  })
}

function sum(all: readonly Measured[], value: (each: Measured) => number): number {
  return all.reduce((total, each) => total + value(each), 0)
}

/** Only stored events get an id. */
async function lastEventId(database: Client): Promise<number> {
  const { rows } = await database.query<{ last: string }>(
    `select coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'id')), 0) as last`,
  )
  return Number(rows[0]?.last)
}

/** Waits until the server has written its event queue. */
async function untilStored(database: Client): Promise<number> {
  for (let before = await lastEventId(database); ;) {
    await sleep(LOOK_EVERY_MS)
    const now = await lastEventId(database)
    if (now === before) return now
    before = now
  }
}
