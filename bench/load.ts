import { Agent, request as sendRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { get, type HttpRequest } from './requests'
import { quantile } from './statistics'

/** Number of callers of a load without a fixed rate. */
export const CALLERS = 10

/**
 * The requests to one or more servers, and their rate. Each answer is recorded by its request, and a fixed rate is spread evenly:
 * autocannon does neither.
 */
export interface Load {
  /** Requests go to the servers in turn. */
  readonly ports: readonly number[]
  /** The value of the Host header, which the servers check. */
  readonly host: string
  /** They are sent repeatedly, or once each, and then the load ends. */
  readonly requests: readonly HttpRequest[]
  readonly once?: boolean
  readonly durationMs: number
  /**
   * `closed`: a number of callers, each of which sends its next request as soon as it has an answer. It finds the maximum rate.
   * `open`: requests arrive at a fixed rate whether or not those before were answered, and a wait for a free connection is
   * part of the latency. It finds how long callers wait. `openFirst`: this many connections are used once beforehand.
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
/** A server closes a connection that is idle for five seconds. */
const MAX_IDLE_MS = 4_000
const MAX_CONNECTIONS = 2_000

interface Answer {
  /** 0: there was no answer. */
  readonly status: number
  readonly retryAfter?: string | undefined
  readonly text: string
}

/** Runs a load until its last answer has arrived. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { requests, ports, host, arrival } = load
  const agent = new Agent({
    keepAlive: true,
    maxFreeSockets: MAX_CONNECTIONS,
    scheduling: 'fifo',
    timeout: MAX_IDLE_MS,
    noDelay: true,
  })
  const tally = makeTally(requests)
  const send = (request: HttpRequest, turn: number): Promise<Answer> =>
    ask(agent, ports[turn % ports.length] ?? 0, host, request)
  const one: SendOne = async (turn, dueAt) => {
    const place = turn % requests.length
    const lateMs = performance.now() - dueAt
    const answer = await send(requests[place] ?? get('/'), turn)
    tally.note(answer, { place, lateMs, ms: performance.now() - dueAt })
  }
  if (arrival.kind === 'open') {
    const first = Array.from({ length: arrival.openFirst ?? 0 }, (_, turn) => send(get('/-/alive'), turn))
    await Promise.all(first)
  }
  const startedAt = performance.now()
  await (arrival.kind === 'closed'
    ? closedLoop(load, arrival.callers, one)
    : openLoop(load, arrival, one, () => tally.skip()))
  agent.destroy()
  return tally.result((performance.now() - startedAt) / 1000)
}

/** Sends one request; its latency counts from when it was due. Never rejects. */
type SendOne = (turn: number, dueAt: number) => Promise<void>

async function closedLoop(load: Load, callers: number, one: SendOne): Promise<void> {
  const endAt = performance.now() + load.durationMs
  let next = 0
  const call = async (): Promise<void> => {
    while (performance.now() < endAt && (load.once !== true || next < load.requests.length))
      await one(next++, performance.now())
  }
  await Promise.all(Array.from({ length: callers }, call))
}

async function openLoop(
  load: Load,
  { perSecond, maxConcurrent }: Extract<Load['arrival'], { readonly kind: 'open' }>,
  one: SendOne,
  skip: () => void,
): Promise<void> {
  const total = Math.floor((load.durationMs / 1000) * perSecond)
  const count = load.once === true ? Math.min(total, load.requests.length) : total
  const inProgress = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let sent = 0; sent < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent++) {
      if (inProgress.size >= maxConcurrent) {
        skip()
        continue
      }
      const asked = one(sent, startedAt + (sent * 1000) / perSecond).finally(() => inProgress.delete(asked))
      inProgress.add(asked)
    }
    await sleep(1)
  }
  await Promise.all(inProgress)
}

function ask(agent: Agent, port: number, host: string, { method, path, headers, body }: HttpRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (error: Error): void => resolve({ status: 0, text: error.message })
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const options = { agent, port, method, path, host: '127.0.0.1', headers: { Host: host, ...headers, ...length } }
    const sent = sendRequest(options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', failed)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          text: Buffer.concat(parts).toString('utf8'),
        }),
      )
    })
    sent.on('error', failed)
    sent.setTimeout(LATEST_ANSWER_MS, () => sent.destroy(new Error('no answer in time')))
    sent.end(body)
  })
}

function makeTally(requests: readonly HttpRequest[]) {
  const done: number[] = []
  const statuses: Record<number, number> = {}
  const [served, refused, late]: [number[], number[], number[]] = [[], [], []]
  let refusedWithoutRetryAfter = 0
  let notSent = 0
  const oddAnswers: Record<number, string> = {}
  return {
    note({ status, retryAfter, text }: Answer, { place, lateMs, ms }: { place: number; lateMs: number; ms: number }) {
      late.push(lateMs)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 200) {
        served.push(ms)
        if (requests[place]?.method === 'POST') done.push(place)
      } else if (status === 429 || status === 503) {
        refused.push(ms)
        if (retryAfter === undefined) refusedWithoutRetryAfter += 1
      } else oddAnswers[status] ??= text.slice(0, 300)
    },
    skip(): void {
      notSent += 1
    },
    result: (seconds: number): LoadResult => ({
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
