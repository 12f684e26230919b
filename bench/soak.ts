import { setTimeout as sleep } from 'node:timers/promises'
import { CALLERS } from './limits'
import type { Instance } from './instance'
import type { Loader } from './loader'
import { freePort } from './instance'
import { faultsOf, type MixedWorld } from './mixed-world'
import { residentMb } from './process-use'

export interface SoakPlan {
  readonly totalMs: number
  readonly killEveryMs: number
  readonly restartEveryMs: number
  readonly checkEveryMs: number
}

export interface SoakResult {
  readonly requests: number
  /** Of the answers: how many of each status; 0 stands for none. */
  readonly statuses: Readonly<Record<number, number>>
  readonly payments: number
  readonly kills: number
  readonly restarts: number
  readonly checks: number
  /** What did not hold, by the minute in which it was found. */
  readonly faults: readonly string[]
  /** Of the instance that lives throughout, in megabytes: when it was warm, and at the end. */
  readonly warmMb: number
  readonly endMb: number
}

/** The rate of a load that a server can go on with, as a share of its most. */
const STEADY_SHARE = 0.4
const SLICE_MS = 5_000
/** Requests from which the most that the servers can do is found. */
export const TRIED = 10_000
const MOST_AT_ONCE = 500
/** Memory is compared with what it was after a fifth of the time. */
const WARM_SHARE = 0.2
/** After a kill, payments under way are taken up by the other instance when their claim has run out. */
const SETTLING_MS = 20_000

/**
 * A load for a long time on two instances. One of them is killed again and again, the database is restarted under both, and
 * the books are added up once a minute.
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
  const counts = { kills: 0, restarts: 0, checks: 0 }
  /** Place of the first request that was not sent yet: sent again, a payment is only told what became of it. */
  let next = 0
  const load = async (arrival: Parameters<Loader['run']>[0]['arrival'], most: number): Promise<number> => {
    const from = next
    next += most
    const requests = world.requests.slice(from, next)
    const result = await loader.run({
      ports: [world.port, killedPort],
      requests,
      once: true,
      durationMs: SLICE_MS,
      arrival,
    })
    for (const [status, count] of Object.entries(result.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count
    answered.push(...result.done.map((place) => world.hashAt(from + place)))
    return result.perSecond
  }
  const check = async (): Promise<void> => {
    counts.checks += 1
    // Only what must hold at any moment; that every payment has ended is asked when all is quiet.
    const found = await world.engine.withDatabase((db) => faultsOf(db, answered.splice(0)))
    faults.push(...found.filter((fault) => !fault.endsWith('have not ended')))
  }
  const steadyMost = (await load({ kind: 'closed', callers: CALLERS }, TRIED)) * STEADY_SHARE
  // As long as there are payments.
  const perSecond = Math.min(steadyMost, ((world.requests.length - TRIED) * 1000) / (plan.totalMs + 2 * SLICE_MS))
  say(`${perSecond.toFixed(0)} requests/s on two instances, for ${(plan.totalMs / 60_000).toFixed(1)} minutes`)
  const startedAt = performance.now()
  const due = { kill: plan.killEveryMs, restart: plan.restartEveryMs, check: plan.checkEveryMs }
  try {
    for (;;) {
      const elapsed = performance.now() - startedAt
      if (elapsed >= plan.totalMs) break
      const slice = load(
        { kind: 'open', perSecond, mostAtOnce: MOST_AT_ONCE },
        Math.floor((SLICE_MS / 1000) * perSecond),
      )
      if (elapsed >= due.kill) {
        due.kill += plan.killEveryMs
        counts.kills += 1
        await sleep(SLICE_MS / 4)
        await killed.kill()
        killed = await world.start(killedPort)
      }
      if (elapsed >= due.restart) {
        due.restart += plan.restartEveryMs
        counts.restarts += 1
        await sleep(SLICE_MS / 4)
        await restartDatabase()
      }
      await slice
      residents.push(residentMb(steady.pid))
      if (elapsed >= due.check) {
        due.check += plan.checkEveryMs
        await check()
        say(
          `${(elapsed / 60_000).toFixed(1)} min: ${JSON.stringify(statuses)}, ${counts.kills} kills, ${counts.restarts} restarts, ${residents.at(-1)?.toFixed(0)} MB, ${faults.length} faults`,
        )
      }
    }
    await check()
    const quietBy = performance.now() + SETTLING_MS
    let last = await world.engine.withDatabase((db) => faultsOf(db, []))
    while (last.length > 0 && performance.now() < quietBy) {
      await sleep(1_000)
      last = await world.engine.withDatabase((db) => faultsOf(db, []))
    }
    faults.push(...last)
  } finally {
    await Promise.all([steady.stop(), killed.stop()])
  }
  return {
    requests: Object.values(statuses).reduce((sum, count) => sum + count, 0),
    statuses,
    payments: await paymentsIn(world),
    ...counts,
    faults,
    warmMb: residents[Math.floor(residents.length * WARM_SHARE)] ?? Number.NaN,
    endMb: residents.at(-1) ?? Number.NaN,
  }
}

async function paymentsIn({ engine }: MixedWorld): Promise<number> {
  const statement = { name: 'bench_payments', text: `select count(*) as count from payments where state = 'succeeded'` }
  const [row] = await engine.withDatabase((db) => db.query<{ count: bigint }>(statement))
  return Number(row?.count ?? 0)
}
