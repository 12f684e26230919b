import { setTimeout as sleep } from 'node:timers/promises'
import { RawConnection, type RawAnswer } from './raw-connection'
import { quantile } from './statistics'

/** Number of callers of a load without a fixed rate. */
export const CALLERS = 10

/** The requests to one or more servers, and their rate. */
export interface Load {
  /** Requests go to the servers in turn. */
  readonly ports: readonly number[]
  /** Whole requests as text. They are sent repeatedly, or once each, and then the load ends. */
  readonly requests: readonly string[]
  readonly once?: boolean
  readonly durationMs: number
  /**
   * `closed`: a number of callers, each of which sends its next request as soon as it has an answer. It finds the maximum rate.
   * `open`: requests arrive at a fixed rate whether or not those before were answered, and a wait for a free connection is
   * part of the latency. It finds how long callers wait. `openFirst`: this many connections are opened and accepted
   * beforehand.
   */
  readonly arrival:
    | { readonly kind: 'closed'; readonly callers: number }
    | { readonly kind: 'open'; readonly perSecond: number; readonly maxConcurrent: number; readonly openFirst?: number }
}

export interface LoadResult {
  readonly seconds: number
  /** Number of answers by status; 0 stands for no answer. */
  readonly statuses: Readonly<Record<number, number>>
  /** Latencies of the answers with status 200, over the whole time. */
  readonly perSecond: number
  readonly p99Ms: number
  /** Latencies of the refusals, 429 and 503. */
  readonly refusedP99Ms: number
  /** How late the load itself was ready to send. All these latencies include this delay. */
  readonly lateP99Ms: number
  /** Number of refusals without `Retry-After`. */
  readonly refusedWithoutRetryAfter: number
  /** Open loop: requests that were never sent, because too many were in progress. */
  readonly notSent: number
  /** Indexes of the POST requests that were answered 200. */
  readonly done: readonly number[]
  /** For each status that was neither 200 nor a refusal, the text of its first answer. */
  readonly oddAnswers: Readonly<Record<number, string>>
}

const LATEST_ANSWER_MS = 60_000

/** Runs a load until its last answer has arrived. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const tally = makeTally(load.requests)
  const startedAt = performance.now()
  await (load.arrival.kind === 'closed'
    ? closedLoop(load, load.arrival.callers, tally)
    : openLoop(load, load.arrival, tally))
  return tally.result((performance.now() - startedAt) / 1000)
}

async function closedLoop(load: Load, callers: number, tally: Tally): Promise<void> {
  const endAt = performance.now() + load.durationMs
  let next = 0
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const connection = new RawConnection(load.ports[caller % load.ports.length] ?? 0)
      while (performance.now() < endAt && (load.once !== true || next < load.requests.length)) {
        await tally.one(connection, next++ % load.requests.length, performance.now())
      }
      connection.close()
    }),
  )
}

/** Node accepts one connection per turn of its event loop: an idle server accepts this many in less time. */
const ACCEPTED_AFTER_MS = 1_000

async function openLoop(
  load: Load,
  { perSecond, maxConcurrent, openFirst = 0 }: Extract<Load['arrival'], { readonly kind: 'open' }>,
  tally: Tally,
): Promise<void> {
  const total = Math.floor((load.durationMs / 1000) * perSecond)
  const count = load.once === true ? Math.min(total, load.requests.length) : total
  const free = load.ports.map(() => [] as RawConnection[])
  const all: RawConnection[] = []
  const open = (server: number): RawConnection => {
    const connection = new RawConnection(load.ports[server] ?? 0)
    all.push(connection)
    return connection
  }
  for (let index = 0; index < openFirst; index++) {
    const server = index % load.ports.length
    const connection = open(server)
    free[server]?.push(connection)
    await connection.connect()
  }
  if (openFirst > 0) await sleep(ACCEPTED_AFTER_MS)
  const inProgress = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let sent = 0; sent < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent++) {
      const server = sent % load.ports.length
      if (inProgress.size >= maxConcurrent) {
        tally.skip()
        continue
      }
      // In turn, because a server closes a connection that is idle for a few seconds.
      const connection = free[server]?.shift() ?? open(server)
      const asked = tally
        .one(connection, sent % load.requests.length, startedAt + (sent * 1000) / perSecond)
        .finally(() => {
          inProgress.delete(asked)
          free[server]?.push(connection)
        })
      inProgress.add(asked)
    }
    await sleep(1)
  }
  await Promise.all(inProgress)
  for (const connection of all) connection.close()
}

interface Tally {
  /** Sends a request and records its answer, with the time since the request was due. */
  one(connection: RawConnection, place: number, dueAt: number): Promise<void>
  skip(): void
  result(seconds: number): LoadResult
}

function makeTally(requests: readonly string[]): Tally {
  const done: number[] = []
  const statuses: Record<number, number> = {}
  const served: number[] = []
  const refused: number[] = []
  const late: number[] = []
  let refusedWithoutRetryAfter = 0
  let notSent = 0
  const oddAnswers: Record<number, string> = {}
  const note = ({ status, retryAfter, text }: RawAnswer, ms: number, place: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) {
      served.push(ms)
      if (requests[place]?.startsWith('POST') === true) done.push(place)
    } else if (status === 429 || status === 503) {
      refused.push(ms)
      if (retryAfter === undefined) refusedWithoutRetryAfter += 1
    } else oddAnswers[status] ??= text.slice(0, 300)
  }
  return {
    async one(connection, place, dueAt) {
      late.push(performance.now() - dueAt)
      const inTime = new Promise<RawAnswer>((resolve) => {
        const timer = setTimeout(() => {
          connection.close()
          resolve({ status: 0, retryAfter: undefined, text: 'no answer in time' })
        }, LATEST_ANSWER_MS)
        connection
          .ask(requests[place] ?? '')
          .then(resolve, (error: Error) => resolve({ status: 0, retryAfter: undefined, text: error.message }))
          .finally(() => clearTimeout(timer))
      })
      const answer = await inTime
      note(answer, performance.now() - dueAt, place)
    },
    skip() {
      notSent += 1
    },
    result: (seconds) => ({
      seconds,
      statuses,
      perSecond: served.length / seconds,
      p99Ms: quantile(served, 0.99),
      refusedP99Ms: quantile(refused, 0.99),
      lateP99Ms: quantile(late, 0.99),
      refusedWithoutRetryAfter,
      notSent,
      done,
      oddAnswers,
    }),
  }
}
