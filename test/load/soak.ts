import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '../../bench/instance'
import { CALLERS, type LoadResult } from '../../bench/load'
import type { Loader } from '../../bench/loader'
import { residentMb, watchStolen } from '../../bench/process-use'
import { median } from '../../bench/statistics'
import { freePort } from '../programs/free-port'
import { faultsOf, openPayments, type MixedWorld } from './mixed-fixture'

export interface SoakPlan {
  readonly totalMs: number
  readonly killEveryMs: number
  readonly restartEveryMs: number
  readonly checkEveryMs: number
  /** Whether no other program uses this machine: a request that is refused or not sent without a cause is then a fault. */
  readonly isQuiet: boolean
}

export interface SoakResult {
  readonly requests: number
  /** Number of answers by status; 0 stands for no answer. */
  readonly statuses: Readonly<Record<number, number>>
  readonly payments: number
  readonly perSecond: number
  readonly kills: number
  /** Payments that were held or being sent when an instance was killed, added up over all kills. */
  readonly openAtKills: number
  readonly restarts: number
  readonly checks: number
  /** Slices of the load of a few seconds each, and how many of them ran while other machines used the CPU. */
  readonly slices: number
  readonly stolenSlices: number
  /** The faults, each with the minute in which it was found. */
  readonly faults: readonly string[]
  /** Memory in megabytes of the instance that is never killed: medians of a tenth of the time, after warm-up and at the end. */
  readonly warmMb: number
  readonly endMb: number
}

/** The sustainable rate, as a share of the maximum rate. */
const STEADY_SHARE = 0.4
const SLICE_MS = 5_000
/** Number of requests that measure the maximum rate of the servers. */
export const TRIED = 10_000
/** The maximum rate for which requests are prepared. */
export const MAX_PER_SECOND = 330
const MAX_CONCURRENT = 500
/** The final memory is compared with the memory after a fifth of the time. */
const WARM_SHARE = 0.2
const WINDOW_SHARE = 0.1
/** A kill or a restart of the database disturbs its own slice and the next: the pool opens new connections. */
const CALM_AFTER_MS = 2 * SLICE_MS + 1_000
/** A share of the time in which a process here wanted to run. If other machines get more, this one cannot carry the load. */
const MAX_STOLEN = 0.15
/** After a kill, the other instance takes over payments in progress when their lease has expired. */
const SETTLING_MS = 20_000

/**
 * A long load on two instances. One of them is killed repeatedly, the database is restarted under both, and the books are checked
 * once a minute.
 */
export async function soak(
  loader: Loader,
  world: MixedWorld,
  plan: SoakPlan,
  restartDatabase: () => Promise<void>,
  say: (line: string) => void,
): Promise<SoakResult> {
  const killedPort = await freePort()
  const steady = await world.start()
  let killed: Instance = await world.start(killedPort)
  const statuses: Record<number, number> = {}
  const faults: string[] = []
  const answered: string[] = []
  const residents: number[] = []
  const counts = { kills: 0, openAtKills: 0, restarts: 0, checks: 0, slices: 0, stolenSlices: 0 }
  const load = async (arrival: Parameters<Loader['run']>[0]['arrival'], most: number): Promise<LoadResult> => {
    const { hashAt, ...batch } = await world.take(most)
    const result = await loader.run({
      ports: [world.port, killedPort],
      ...batch,
      once: true,
      durationMs: SLICE_MS,
      arrival,
    })
    for (const [status, count] of Object.entries(result.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count
    answered.push(...result.done.map(hashAt))
    return result
  }
  const blame = (found: readonly string[]): void => {
    faults.push(...found)
    for (const fault of found) say(`fault: ${fault}`)
  }
  const check = async (): Promise<void> => {
    counts.checks += 1
    blame(await world.engine.withDatabase((db) => faultsOf(db, answered.splice(0))))
  }
  const steadyMost = (await load({ kind: 'closed', callers: CALLERS }, TRIED)).perSecond * STEADY_SHARE
  const perSecond = Math.min(steadyMost, MAX_PER_SECOND)
  say(`${perSecond.toFixed(0)} requests/s on two instances, for ${(plan.totalMs / 60_000).toFixed(1)} minutes`)
  const startedAt = performance.now()
  const due = { kill: plan.killEveryMs, restart: plan.restartEveryMs, check: plan.checkEveryMs }
  let disturbedAt = Number.NEGATIVE_INFINITY
  let stolenAt = Number.NEGATIVE_INFINITY
  const stolenShare = watchStolen()
  try {
    for (;;) {
      const elapsed = performance.now() - startedAt
      if (elapsed >= plan.totalMs) break
      const slice = load(
        { kind: 'open', perSecond, maxConcurrent: MAX_CONCURRENT },
        Math.floor((SLICE_MS / 1000) * perSecond),
      )
      const was = { ...due }
      if (elapsed >= due.kill) {
        due.kill += plan.killEveryMs
        counts.kills += 1
        // Ensures that payments are in progress at the kill. Otherwise there would be few.
        world.pauseOther()
        await sleep(SLICE_MS / 4)
        counts.openAtKills += await world.engine.withDatabase(openPayments)
        await killed.kill()
        world.resumeOther()
        killed = await world.start(killedPort)
      }
      if (elapsed >= due.restart) {
        due.restart += plan.restartEveryMs
        counts.restarts += 1
        await sleep(SLICE_MS / 4)
        await restartDatabase()
      }
      if (due.kill !== was.kill || due.restart !== was.restart) disturbedAt = elapsed
      const result = await slice
      if (stolenShare() > MAX_STOLEN) stolenAt = elapsed
      const isStolen = elapsed - stolenAt < CALM_AFTER_MS
      counts.slices += 1
      if (isStolen) counts.stolenSlices += 1
      const time = elapsed - disturbedAt < CALM_AFTER_MS ? 'disturbed' : isStolen ? 'stolen' : 'calm'
      blame(oddAnswers(result, time === 'calm' && !plan.isQuiet ? 'stolen' : time))
      residents.push(residentMb(steady.pid))
      if (elapsed >= due.check) {
        due.check += plan.checkEveryMs
        await check()
        say(
          `${(elapsed / 60_000).toFixed(1)} min: ${JSON.stringify(statuses)}, ${counts.kills} kills, ${counts.restarts} restarts, ${residents.at(-1)?.toFixed(0)} MB, ${faults.length} faults`,
        )
      }
    }
    const quietBy = performance.now() + SETTLING_MS
    while ((await world.engine.withDatabase(openPayments)) > 0 && performance.now() < quietBy) await sleep(1_000)
    const unfinished = await world.engine.withDatabase(openPayments)
    if (unfinished > 0) blame([`${unfinished} payments have not ended`])
    await check()
  } finally {
    await Promise.all([steady.stop(), killed.stop()])
  }
  const residentFrom = (share: number): number => {
    const from = Math.floor(residents.length * share)
    return median(residents.slice(from, from + Math.max(1, Math.round(residents.length * WINDOW_SHARE))))
  }
  return {
    requests: Object.values(statuses).reduce((sum, count) => sum + count, 0),
    statuses,
    payments: await paymentsIn(world),
    perSecond,
    ...counts,
    faults,
    warmMb: residentFrom(WARM_SHARE),
    endMb: residentFrom(1 - WINDOW_SHARE),
  }
}

/** A slice `disturbed` by us, `stolen` by the host's other guests or maybe by other programs, or neither. */
type Time = 'disturbed' | 'stolen' | 'calm'

const ALLOWED: Readonly<Record<Time, readonly string[]>> = {
  disturbed: ['0', '200', '503'],
  stolen: ['200', '503'],
  calm: ['200'],
}

/**
 * The faults among the answers. A request to a killed server gets no answer. A request gets a 503 while the database starts, or
 * while others leave the server less CPU than the load needs. Any other answer is a fault at any time.
 */
function oddAnswers({ statuses, notSent, oddAnswers: texts }: LoadResult, time: Time): string[] {
  const odd = Object.entries(statuses).filter(([status]) => !ALLOWED[time].includes(status))
  return [
    ...odd.map(([status, times]) => `${times} answers ${status} in a ${time} slice: ${texts[Number(status)] ?? ''}`),
    ...(notSent > 0 && time === 'calm' ? [`${notSent} requests were not sent in a calm slice`] : []),
  ]
}

async function paymentsIn({ engine }: MixedWorld): Promise<number> {
  const statement = { name: 'bench_payments', text: `select count(*) as count from payments where state = 'succeeded'` }
  const [row] = await engine.withDatabase((db) => db.query<{ count: bigint }>(statement))
  return Number(row?.count ?? 0)
}
