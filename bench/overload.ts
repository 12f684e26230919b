import { setTimeout as sleep } from 'node:timers/promises'
import { CALLERS } from './limits'
import type { Loader } from './loader'
import { faultsOf, type MixedWorld } from './mixed-world'
import { watchMemory } from './process-use'
import type { OverloadResult } from './report'
import type { LoadResult } from './load'

/** A load that ten callers make without waiting is the most there is; a server goes on for hours with this share of it. */
const SUSTAINABLE_SHARE = 0.7
const TIMES = 5
/**
 * Five times as many as a process has at work, so that it has to turn callers away. Their connections are open before, as a
 * gateway's are: a new one waits until Node accepts it, one a turn of its loop, which nothing in the process can hasten.
 */
const MOST_AT_ONCE = 1_000
const CALM_SHARE = 0.5
/** Normal again: a caller in a hundred waits no longer than twice as before, or than this where that was very short. */
const NORMAL_P99_MS = 100
const PROBE_MS = 1_000
const LONGEST_RECOVERY_MS = 60_000

/** Five times what the server can do for a while, then calm; what was shed, what was kept, and when all is as before. */
export async function overload(
  loader: Loader,
  world: MixedWorld,
  server: { readonly pid: number },
  seconds: number,
): Promise<OverloadResult & { readonly faults: readonly string[] }> {
  const { port, requests } = world
  const all = { ports: [port], requests }
  const answered: string[] = []
  const noted = (result: LoadResult): LoadResult => {
    answered.push(...result.done.map((place) => world.hashAt(place)))
    return result
  }
  const most = noted(
    await loader.run({ ...all, durationMs: 3_000, arrival: { kind: 'closed', callers: CALLERS } }),
  ).perSecond
  const sustainable = most * SUSTAINABLE_SHARE
  const calm = async (): Promise<LoadResult> =>
    noted(
      await loader.run({
        ...all,
        durationMs: PROBE_MS,
        arrival: { kind: 'open', perSecond: sustainable * CALM_SHARE, mostAtOnce: MOST_AT_ONCE },
      }),
    )
  await sleep(500)
  const usual = Math.max(NORMAL_P99_MS, 2 * (await calm()).p99Ms)
  const memory = watchMemory(server.pid)
  const arrivals = sustainable * TIMES
  const storm = noted(
    await loader.run({
      ...all,
      durationMs: seconds * 1_000,
      arrival: { kind: 'open', perSecond: arrivals, mostAtOnce: MOST_AT_ONCE, openFirst: MOST_AT_ONCE },
    }),
  )
  const over = performance.now()
  for (;;) {
    const { p99Ms, statuses } = await calm()
    const isNormal = p99Ms <= usual && Object.keys(statuses).every((status) => status === '200')
    if (isNormal || performance.now() - over > LONGEST_RECOVERY_MS) break
  }
  const count = (...wanted: number[]): number => wanted.reduce((sum, status) => sum + (storm.statuses[status] ?? 0), 0)
  const lost = await world.engine.withDatabase((db) => faultsOf(db, answered))
  const { oddAnswer: odd } = storm
  // 0 stands for no answer, which is counted by itself.
  const faults = odd === undefined || odd.startsWith('0 ') ? lost : [...lost, `an odd answer: ${odd}`]
  return {
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
    paymentsLost: lost.length,
    secondsToNormal: (performance.now() - over) / 1000,
    residentMb: memory.stop(),
    faults,
  }
}
