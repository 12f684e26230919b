import { setTimeout as sleep } from 'node:timers/promises'
import type { Load, LoadResult } from '../../bench/load'
import type { Loader } from '../../bench/loader'
import { watchMemory } from '../../bench/process-use'
import { faultsOf, openPayments, type MixedWorld } from './mixed-fixture'

/**
 * This many callers measure the maximum rate: each repeats its request immediately, and a process rejects none of them. A server
 * sustains the share below for hours.
 */
const CALLERS = 100
const SUSTAINABLE_SHARE = 0.7
const TIMES = 5
/** Time to compile code, open database connections and contact the other VASP for the first time. */
const WARM_UP_MS = 3_000
const MAX_MS = 8_000
/** No server here reaches this rate. A measurement without a fixed rate prepares enough requests for it. */
const MAX_PER_SECOND = 4_000
/**
 * Five times as many requests as a process admits at once, so that it has to reject some. Their connections are opened
 * beforehand, like those of a gateway: a new connection waits until Node accepts it, one per turn of the event loop, and
 * no code can speed that up.
 */
const MAX_CONCURRENT = 1_000
const CALM_SHARE = 0.5
/** The latency is normal again when its p99 is at most twice the p99 before the overload, or at most this. */
const NORMAL_P99_MS = 100
const PROBE_MS = 1_000
const MAX_RECOVERY_MS = 60_000
const LOOK_EVERY_MS = 200

export interface OverloadResult {
  /** The maximum rate without a limit, in answers per second. */
  readonly most: number
  readonly sustainable: number
  readonly arrivals: number
  readonly seconds: number
  readonly served: number
  readonly shed: number
  readonly unanswered: number
  /** Answers of any other status. */
  readonly others: number
  /** Requests that were never sent, because too many were in progress. */
  readonly notSent: number
  readonly shedP99Ms: number
  /** The part of that latency by which the load itself was late. */
  readonly lateP99Ms: number
  readonly shedWithoutRetryAfter: number
  /** Maximum number of payments held or sending at one moment, and the number not final at the end. */
  readonly maxOpen: number
  readonly unfinished: number
  readonly secondsToNormal: number
  readonly residentMb: number
}

/** Load shedding rejects calls at once, not after a wait for the database. */
const MAX_SHED_MS = 250
const MAX_NORMAL_AFTER_SECONDS = 30

/** What took too long. The delay of the load itself is subtracted. */
export function slownessOf({ shedP99Ms, lateP99Ms, secondsToNormal }: OverloadResult): string[] {
  const shedMs = Math.round(shedP99Ms - lateP99Ms)
  return [
    ...(shedMs > MAX_SHED_MS ? [`Calls were shed within ${shedMs} ms, at most ${MAX_SHED_MS} allowed.`] : []),
    ...(secondsToNormal > MAX_NORMAL_AFTER_SECONDS
      ? [`Latency was normal after ${secondsToNormal.toFixed(1)} s, at most ${MAX_NORMAL_AFTER_SECONDS} allowed.`]
      : []),
  ]
}

/** Sends five times the sustainable rate for a while, then a normal load. Reports what was shed and when latency was normal again. */
export async function overload(
  loader: Loader,
  world: MixedWorld,
  server: { readonly pid: number },
  seconds: number,
): Promise<OverloadResult & { readonly faults: readonly string[] }> {
  const answered: string[] = []
  const run = async (durationMs: number, arrival: Load['arrival']): Promise<LoadResult> => {
    const perSecond = arrival.kind === 'open' ? arrival.perSecond : MAX_PER_SECOND
    const { hashAt, ...batch } = await world.take(Math.ceil((perSecond * durationMs) / 1_000))
    const result = await loader.run({ ports: [world.port], ...batch, once: true, durationMs, arrival })
    answered.push(...result.done.map(hashAt))
    return result
  }
  await run(WARM_UP_MS, { kind: 'closed', callers: CALLERS })
  const most = (await run(MAX_MS, { kind: 'closed', callers: CALLERS })).perSecond
  const sustainable = most * SUSTAINABLE_SHARE
  const calm = (): Promise<LoadResult> =>
    run(PROBE_MS, { kind: 'open', perSecond: sustainable * CALM_SHARE, maxConcurrent: MAX_CONCURRENT })
  await sleep(500)
  const usual = Math.max(NORMAL_P99_MS, 2 * (await calm()).p99Ms)
  const arrivals = sustainable * TIMES
  const memory = watchMemory(server.pid)
  const inProgress = await watchOpenPayments(world)
  const storm = await run(seconds * 1_000, {
    kind: 'open',
    perSecond: arrivals,
    maxConcurrent: MAX_CONCURRENT,
    openFirst: MAX_CONCURRENT,
  })
  const maxOpen = await inProgress.stop()
  const over = performance.now()
  for (;;) {
    const { p99Ms, statuses } = await calm()
    const isNormal = p99Ms <= usual && Object.keys(statuses).every((status) => status === '200')
    if (isNormal || performance.now() - over > MAX_RECOVERY_MS) break
  }
  const secondsToNormal = (performance.now() - over) / 1000
  const count = (...wanted: number[]): number => wanted.reduce((sum, status) => sum + (storm.statuses[status] ?? 0), 0)
  const [lost, unfinished] = await world.engine.withDatabase(async (db) => [
    await faultsOf(db, answered),
    await openPayments(db),
  ])
  // 0 stands for no answer, which is counted separately.
  const odd = Object.entries(storm.oddAnswers).filter(([status]) => status !== '0')
  const faults = [
    ...lost,
    ...(unfinished === 0 ? [] : [`${unfinished} payments have not ended`]),
    ...odd.map(([status, text]) => `an unexpected answer: ${status} ${text}`),
  ]
  return {
    most,
    sustainable,
    arrivals,
    seconds,
    served: count(200),
    shed: count(429, 503),
    unanswered: count(0),
    others: Object.entries(storm.statuses)
      .filter(([status]) => !['0', '200', '429', '503'].includes(status))
      .reduce((sum, [, times]) => sum + times, 0),
    notSent: storm.notSent,
    shedP99Ms: storm.refusedP99Ms,
    lateP99Ms: storm.lateP99Ms,
    shedWithoutRetryAfter: storm.refusedWithoutRetryAfter,
    maxOpen,
    unfinished,
    secondsToNormal,
    residentMb: memory.stop(),
    faults,
  }
}

/** The maximum number of payments held or being sent at one moment, read on a separate connection. */
async function watchOpenPayments({ engine }: MixedWorld): Promise<{ stop(): Promise<number> }> {
  const ended = new AbortController()
  const watching = engine.withDatabase(async (db) => {
    let most = 0
    while (!ended.signal.aborted) {
      most = Math.max(most, await openPayments(db))
      await sleep(LOOK_EVERY_MS)
    }
    return most
  })
  return {
    stop() {
      ended.abort()
      return watching
    },
  }
}
