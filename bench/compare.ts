import { fork } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../test/programs/free-port'
import { scriptPath } from '../test/programs/script'
import { BALANCE, get, HISTORY, PAYMENT, rowNamed, UMA_PAYMENT } from './benchmarks'
import { amountFor, shotsOf, startSide, type Side } from './build'
import { besideNoEvents } from './events'
import { startServer } from './instance'
import { cpuMs, inTurns, shoot, watchCpu, type Sample, type Shot } from './measure'
import type { Scale } from './options'
import type { Bench, Ratio } from './ratio'
import { rawRequest } from './raw-connection'
import { median, pairedRatio, spreadOf } from './statistics'
import { measureSignatures, sumMs } from './uma-signatures'

/** The ratio of two CPU times, measured in alternating rounds; lower is better. */
const CALLERS = 10
const SHARE_OF_MOST = 1 / 3
/** Number of measurements of the maximum rate of one instance. */
const TRIES = 3
const MAX_CONCURRENT = 256
/** A measurement at a fixed rate takes this long for each millisecond of `sliceMs`. */
const SLICES = 2
export const SHORT_HISTORY = 1_000
const LONG_HISTORY = 1_000_000

/** Measured on PostgreSQL, where the database is a separate process. */
export async function measureRatios(side: Side, bench: Bench, isQuick: boolean): Promise<Ratio[]> {
  return [
    ...(await besideBareServers(side, bench)),
    ...(await besideSecondInstance(side, bench)),
    await besideSignatures(side, bench),
    ...(await besideNoEvents(side, bench)),
    ...(isQuick ? [] : [await besideShortHistory(side, bench)]),
  ]
}

/** How many payments the ratios need beyond the rows. */
export function paymentsForRatios({ rounds, payments }: Scale): number {
  return (rounds + TRIES) * payments * 4
}

async function besideBareServers(side: Side, { cannon, scale, say }: Bench): Promise<Ratio[]> {
  const child = fork(scriptPath('bench/bare-server.ts'), {
    serialization: 'advanced',
    env: { ...process.env, ...side.world.servers[0].env },
  })
  const [port] = (await once(child, 'message')) as [number]
  try {
    const against = async (what: string, row: string, path: string, target: number): Promise<Ratio> => {
      const ours = shotsOf(cannon, side, rowNamed(row, CALLERS), scale)
      const amount = await ours.warmUp()
      const bare = (count: number): Shot => ({
        what,
        port,
        host: `localhost:${port}`,
        callers: CALLERS,
        amount: count,
        requests: [get(path)],
        expects: 200,
        pids: [child.pid ?? 0],
        databaseCpuSeconds: () => side.engine.cpuSeconds(),
      })
      const bareAmount = amountFor(await shoot(cannon, bare(amount)), CALLERS, scale)
      const measureBare = (): Promise<Sample> => shoot(cannon, bare(bareAmount))
      await measureBare()
      const [before, after] = await inTurns(scale.rounds, [measureBare, () => ours.measure(amount)])
      return report(say, { what, spread: pairedRatio(cpuOf(before), cpuOf(after)), target })
    }
    return [
      await against('`GET /balance` : bare `node:http` + one prepared read', BALANCE, '/balance', 1.1),
      await against('Payment inside the VASP : bare `node:http` + one posting', PAYMENT, '/post', 2),
    ]
  } finally {
    child.disconnect()
  }
}

/** Whether a second instance makes a request more expensive, at a third of the maximum load of one instance. */
async function besideSecondInstance(side: Side, { cannon, loader, scale, say }: Bench): Promise<Ratio[]> {
  const [{ env, port }] = side.world.servers
  const second = await startServer('.', await freePort(), env)
  try {
    const growth = async (row: string, target: number): Promise<Ratio> => {
      const plan = rowNamed(row, CALLERS)
      const closed = shotsOf(cannon, side, plan, scale)
      const amount = await closed.warmUp()
      const [full = []] = await inTurns(TRIES, [() => closed.measure(amount)])
      const most = median(full.map(({ perSecond: rate }) => rate))
      const durationMs = scale.sliceMs * SLICES
      const perSecond = most * SHARE_OF_MOST
      const supply = Math.ceil((scale.payments * SLICES) / 2)
      const count = Math.floor((durationMs / 1000) * perSecond)
      const at = async (instances: readonly { readonly port: number; readonly pid: number }[]): Promise<number> => {
        const sent = plan.once === undefined ? count : Math.min(count, supply)
        const requests = await plan.requests(side, sent)
        const cpu = watchCpu({
          pids: instances.map(({ pid }) => pid),
          databaseCpuSeconds: () => side.engine.cpuSeconds(),
        })
        const { statuses, oddAnswers } = await loader.run({
          ports: instances.map((each) => each.port),
          requests: requests.map((request) => rawRequest(request, port)),
          once: plan.once !== undefined,
          durationMs,
          arrival: { kind: 'open', perSecond, maxConcurrent: MAX_CONCURRENT },
        })
        const answers = statuses[200] ?? 0
        if (Object.keys(statuses).some((status) => status !== '200'))
          throw new Error(`${row} at ${perSecond.toFixed(0)}/s: ${JSON.stringify({ statuses, oddAnswers })}`)
        const { serverMs, databaseMs } = cpu(answers)
        return serverMs + databaseMs
      }
      const [first] = side.servers
      await at([first, second])
      const [one, two] = await inTurns(scale.rounds, [() => at([first]), () => at([first, second])])
      const what = `${row}, two instances : one, at ${perSecond.toFixed(0)} a second`
      return report(say, { what, spread: pairedRatio(one ?? [], two ?? []), target })
    }
    return [await growth(BALANCE, 1.5), await growth(PAYMENT, 1.15)]
  } finally {
    await second.stop()
  }
}

/** The CPU of both VASPs and their databases, compared with the signatures of one payment made one after another. */
async function besideSignatures(side: Side, { cannon, scale, say }: Bench): Promise<Ratio> {
  const ours = shotsOf(cannon, side, rowNamed(UMA_PAYMENT, CALLERS), scale)
  const amount = await ours.warmUp()
  const [signatures, payments] = await inTurns(scale.rounds, [
    async () => sumMs(await measureSignatures(scale.sliceMs)),
    async () => cpuMs(await ours.measure(amount)),
  ])
  const what = 'Payment to a UMA address, both VASPs : its signatures'
  return report(say, { what, spread: pairedRatio(signatures ?? [], payments ?? []), target: 4 })
}

/** The transaction list of a user with a long history, in a separate database. */
async function besideShortHistory(side: Side, { cannon, scale, say }: Bench): Promise<Ratio> {
  say(`  creating ${LONG_HISTORY.toLocaleString('en-US')} transactions …`)
  const long = await startSide(side.engine, '.', { payments: 0, outgoing: 0, historyRows: LONG_HISTORY })
  try {
    const [short, other] = [side, long].map((each) => shotsOf(cannon, each, rowNamed(HISTORY, CALLERS), scale))
    if (short === undefined || other === undefined) throw new Error('A side is missing.')
    const amount = await short.warmUp()
    await other.warmUp()
    const [before, after] = await inTurns(scale.rounds, [() => short.measure(amount), () => other.measure(amount)])
    const what = '`GET /transactions`, 1,000,000 rows : 1,000'
    return report(say, { what, spread: pairedRatio(cpuOf(before), cpuOf(after)), target: 1.3 })
  } finally {
    await long.stop()
  }
}

export function memoryRatio(serverMb: readonly number[]): Ratio {
  const most = Math.max(...serverMb)
  return {
    what: 'Maximum resident memory of a server, MB',
    spread: spreadOf([most]),
    target: 350,
    format: (value) => value.toFixed(0),
  }
}

function cpuOf(samples: readonly Sample[] = []): number[] {
  return samples.map(cpuMs)
}

function report(say: (line: string) => void, ratio: Ratio): Ratio {
  const { spread } = ratio
  say(`  ${ratio.what}: ${spread.median.toFixed(2)} (${spread.least.toFixed(2)} – ${spread.most.toFixed(2)})`)
  return ratio
}
