import type { Cannon } from './loader'
import { inTurns, shoot, type Sample, type Shot } from './measure'
import { type Row } from './rows'
import type { Side } from './side'

/** How a measurement of one row is made. */
export interface Scale {
  readonly cannon: Cannon
  readonly rounds: number
  /** Length of one measurement. */
  readonly seconds: number
  readonly say: (line: string) => void
}

/** Something that is measured in turn with others. */
export interface Measured {
  /** Warms up. @returns how many requests one measurement needs. */
  amount(): Promise<number>
  measure(amount: number): Promise<Sample>
}

/** The samples of each round; undefined for one that failed. */
export type Samples = readonly Sample[] | undefined

/** Number of requests that compile the code of a row. */
const COLD = 20
const MIN_AMOUNT = 20
/** Invoices and tokens are created beforehand, at most this many. */
const MAX_ONCE = 4_000
const DEADLINE = { ms: 20_000, times: 10 }

export function deadlineMs({ seconds }: Pick<Scale, 'seconds'>): number {
  return DEADLINE.ms + seconds * 1_000 * DEADLINE.times
}

export function rowOn(side: Side, row: Row, callers: number, scale: Scale): Measured {
  const { home, abroad } = side
  const target = {
    port: home.server.port,
    host: home.identity.domain,
    callers,
    expects: row.expects ?? 200,
    pids: row.both === true ? [home.server.pid, abroad.server.pid] : [home.server.pid],
    databaseCpuSeconds: () => home.engine.cpuSeconds(),
  }
  return measuredOn(
    target,
    (amount) => row.requests(side, amount),
    scale,
    row.most?.(side) ?? (row.once === true ? MAX_ONCE : Infinity),
  )
}

/** The requests are made before the measurement, `most` at once. */
export function measuredOn(
  target: Omit<Shot, 'amount' | 'requests' | 'deadlineMs'>,
  requests: (amount: number) => Shot['requests'] | Promise<Shot['requests']>,
  scale: Scale,
  most?: number,
): Measured {
  const measure: Measured['measure'] = async (amount) =>
    shoot(scale.cannon, { ...target, amount, requests: await requests(amount), deadlineMs: deadlineMs(scale) })
  return { measure, amount: () => amountFor(measure, target.callers, scale, most) }
}

/** The second of two warm-ups finds the rate. */
export async function amountFor(measure: Measured['measure'], callers: number, scale: Scale, most = Infinity) {
  const during = ({ perSecond }: Sample, seconds: number): number =>
    Math.round(Math.min(most, Math.max(MIN_AMOUNT, callers, perSecond * seconds)))
  const cold = await measure(Math.max(COLD, callers))
  const warm = await measure(during(cold, scale.seconds))
  return during(warm, scale.seconds)
}

/** Measures each in turn. One that fails has no samples, and the others go on. */
export async function measureInTurns(what: string, all: readonly Measured[], scale: Scale): Promise<Samples[]> {
  const failed = new Set<number>()
  const attempt = async <Result>(index: number, work: () => Promise<Result>): Promise<Result | undefined> => {
    if (failed.has(index)) return undefined
    try {
      // A busy machine may refuse a request once.
      return await work().catch(work)
    } catch (error) {
      failed.add(index)
      scale.say(`  ${what}: – (${error instanceof Error ? error.message : String(error)})`)
      return undefined
    }
  }
  const amounts: number[] = []
  for (const [index, each] of all.entries()) amounts.push((await attempt(index, () => each.amount())) ?? Infinity)
  const turns = all.map((each, index) => () => attempt(index, () => each.measure(amounts[index] ?? MIN_AMOUNT)))
  const rounds = await inTurns(scale.rounds, turns)
  return rounds.map((samples) => {
    const found = samples.filter((each) => each !== undefined)
    return found.length === scale.rounds ? found : undefined
  })
}
