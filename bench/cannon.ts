import autocannon from 'autocannon'
import type { HttpRequest } from './requests'

/** A load of callers that each send their next request as soon as they have the answer to the previous one. */
export interface CannonLoad {
  readonly port: number
  readonly callers: number
  /** Number of answers of all callers together. If there are fewer requests than answers, the requests are repeated. */
  readonly amount: number
  readonly requests: readonly HttpRequest[]
  /** The expected status of each answer. */
  readonly expects: number
  readonly deadlineMs: number
}

export interface CannonResult {
  readonly latenciesMs: readonly number[]
  readonly seconds: number
  /** Requests without an answer. */
  readonly lost: number
  /** The first answer with another status. */
  readonly odd: string | undefined
}

/** How often autocannon checks whether all answers have arrived. */
const SAMPLE_MS = 50

export function fire({ port, callers, amount, requests, expects, deadlineMs }: CannonLoad): Promise<CannonResult> {
  const latenciesMs: number[] = []
  let odd: string | undefined
  const onResponse = (status: number, body: string): void => {
    if (status !== expects) odd ??= `${status} ${body.slice(0, 300)}`
  }
  let client = 0
  const startedAt = performance.now()
  let endedAt = startedAt
  const options: autocannon.Options = {
    url: `http://127.0.0.1:${port}`,
    connections: callers,
    amount,
    sampleInt: SAMPLE_MS,
    timeout: deadlineMs / 1000,
    // The first caller sends requests 0, n, 2n …, the second 1, n + 1 …. If there are as many requests as answers, each is sent once.
    setupClient: (caller) => {
      const turn = client++
      caller.setRequests(
        requests.filter((_, index) => index % callers === turn).map((request) => ({ ...request, onResponse })),
      )
    },
  }
  return new Promise((resolve, reject) => {
    const run = autocannon(options, (error: Error | null, { errors, timeouts }) => {
      const lost = errors + timeouts
      if (error === null) resolve({ latenciesMs, seconds: (endedAt - startedAt) / 1000, lost, odd })
      else reject(error)
    })
    run.on('response', (_caller, _status, _bytes, ms) => {
      latenciesMs.push(ms)
      endedAt = performance.now()
    })
  })
}
