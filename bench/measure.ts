import { cpuSecondsOf, watchMemory } from './process-use'
import type { Load, LoadResult } from './load'
import type { Loader } from './loader'
import { CALLERS } from './limits'

/** One row of the table: what a server does at its most, and how long a caller waits at half of that. */
export interface Row {
  readonly what: string
  readonly perSecond: number
  /** Arrivals a second at which the latencies were measured. */
  readonly arrivalsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Largest resident memory of one server in both loads, in megabytes. */
  readonly residentMb: number
  /** Shares of a core in the closed loop. */
  readonly serverCores: number
  readonly databaseCores: number
  readonly loadCores: number
}

/** The load of a fixed rate: a rate that the server can go on with for hours. */
export const SHARE_OF_MOST = 0.5
const MOST_AT_ONCE = 256

export interface Measured {
  readonly what: string
  readonly ports: readonly number[]
  /** Of the servers, for CPU and memory. */
  readonly pids: readonly number[]
  readonly requests: readonly string[]
  /** Each request is sent once; there have to be enough for both loads. */
  readonly once?: boolean
  /** The status that counts, 200 if not another. */
  readonly expects?: number
}

export interface Bench {
  readonly loader: Loader
  readonly durationMs: number
  /** CPU that the database has used until now, where it is a process of its own. */
  readonly databaseCpuSeconds: () => number
}

/** Answers a second with ten callers that ask again at once. */
export async function most(
  bench: Bench,
  { ports, requests, once, expects = 200, what }: Measured,
): Promise<LoadResult & { readonly rate: number }> {
  const load: Load = {
    ports,
    requests,
    durationMs: bench.durationMs,
    arrival: { kind: 'closed', callers: CALLERS },
    ...(once === undefined ? {} : { once }),
  }
  const result = await bench.loader.run(load)
  return { ...result, rate: expected(result, expects, what) / result.seconds }
}

export async function measure(bench: Bench, measured: Measured): Promise<Row> {
  const { what, pids, once } = measured
  const memory = pids.map((pid) => watchMemory(pid))
  const used = (): number => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
  const [serverBefore, databaseBefore] = [used(), bench.databaseCpuSeconds()]
  const full = await most(bench, measured)
  const serverCores = (used() - serverBefore) / full.seconds
  const databaseCores = (bench.databaseCpuSeconds() - databaseBefore) / full.seconds
  const sent = Object.values(full.statuses).reduce((sum, count) => sum + count, 0)
  const perSecond = Math.max(1, Math.floor(full.rate * SHARE_OF_MOST))
  const rest = once === true ? measured.requests.slice(sent) : measured.requests
  const steady = await measureSteady(bench, { ...measured, requests: rest }, perSecond)
  return {
    what,
    perSecond: full.rate,
    arrivalsPerSecond: perSecond,
    ...steady,
    residentMb: Math.max(...memory.map((each) => each.stop())),
    serverCores,
    databaseCores,
    loadCores: full.cpuSeconds / full.seconds,
  }
}

/** How long callers wait when requests arrive at a fixed rate. */
export async function measureSteady(
  bench: Bench,
  { what, ports, requests, once, expects = 200 }: Measured,
  perSecond: number,
): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> {
  const steady = await bench.loader.run({
    ports,
    requests,
    durationMs: bench.durationMs,
    arrival: { kind: 'open', perSecond, mostAtOnce: MOST_AT_ONCE },
    ...(once === undefined ? {} : { once }),
  })
  expected(steady, expects, what)
  return { p50Ms: steady.allP50Ms, p99Ms: steady.allP99Ms }
}

/** @throws Error when anything but the expected answer came: a measurement of refusals would be worth nothing. */
function expected(result: LoadResult, status: number, what: string): number {
  const others = Object.entries(result.statuses).filter(([each]) => Number(each) !== status)
  if (others.length > 0 || result.notSent > 0)
    throw new Error(
      `${what}: ${JSON.stringify(result.statuses)}, ${result.notSent} not sent; ${result.oddAnswer ?? 'no odd answer'}`,
    )
  return result.statuses[status] ?? 0
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
