import { BurstyRateLimiter, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { busy, rateLimited } from '../errors'
import { isBusy, makeWorkQueue, type WorkQueue } from '../work-queue'

export interface RateLimits {
  /** One API call of a token. @throws VaspError 429 */
  takeRequest(tokenId: string): Promise<void>
  /**
   * Work of one person, whatever the number of their connections: so much at once, the rest after it, so that nobody
   * takes the whole database from the others. @throws VaspError 429 when too much waits already; 503 when so much is
   * under way for everybody together that more would only wait, whether or not limits are switched on.
   */
  inTurn<Result>(username: string, work: () => Promise<Result>): Promise<Result>
  /**
   * The same for an API call. What waits in line for its own person does not count as work.
   * @throws VaspError also 503 while `isFull`.
   */
  call<Result>(username: string, work: () => Promise<Result>): Promise<Result>
  /** As many calls are at work as are answered soon: said before anything of the next has been read. */
  isFull(): boolean
  /** One login redirect of a dashboard session. @throws VaspError 429 */
  takeLoginRedirect(sessionId: string): Promise<void>
}

const REQUESTS_PER_SECOND = 50
/** Above the steady rate: together 200 in the first second, as a burst after a pause. */
const BURST = 150
const LOGIN_REDIRECTS_PER_MINUTE = 60
/** Half of the connections to the database. */
const AT_ONCE_PER_PERSON = 5
/** For everybody together, what waits in line included. */
const MOST_UNDER_WAY = 1_000
/**
 * For everybody together: half a second's calls on two cores. Twenty for each connection to the database: more would wait
 * for one until their time is over, and be refused late.
 */
const MOST_AT_WORK = 200
/** Two whole bursts. */
const MOST_WAITING_PER_PERSON = 400

/**
 * Limits by token and by session, in the memory of this process. None by address: a gateway is one address for
 * everybody behind it.
 */
export function makeRateLimits(enabled: boolean): RateLimits {
  const requests = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: 'api', points: REQUESTS_PER_SECOND, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'api-burst', points: BURST, duration: BURST / REQUESTS_PER_SECOND }),
  )
  const redirects = new RateLimiterMemory({ keyPrefix: 'connect', points: LOGIN_REDIRECTS_PER_MINUTE, duration: 60 })
  const queues = new Map<string, WorkQueue>()
  async function inTurn<Result>(username: string, work: () => Promise<Result>): Promise<Result> {
    const queue =
      queues.get(username) ?? makeWorkQueue({ atOnce: AT_ONCE_PER_PERSON, mostWaiting: MOST_WAITING_PER_PERSON })
    queues.set(username, queue)
    try {
      return await queue.run(work)
    } catch (error) {
      if (isBusy(error)) throw rateLimited(1)
      throw error
    } finally {
      if (queue.isIdle()) queues.delete(username)
    }
  }
  let underWay = 0
  async function admitted<Result>(work: () => Promise<Result>): Promise<Result> {
    if (underWay >= MOST_UNDER_WAY) throw busy(1)
    underWay += 1
    try {
      return await work()
    } finally {
      underWay -= 1
    }
  }
  let atWork = 0
  const isFull = (): boolean => atWork >= MOST_AT_WORK || underWay >= MOST_UNDER_WAY
  async function counted<Result>(work: () => Promise<Result>): Promise<Result> {
    atWork += 1
    try {
      return await work()
    } finally {
      atWork -= 1
    }
  }
  const begin = <Result>(username: string, work: () => Promise<Result>): Promise<Result> =>
    admitted(() => (enabled ? inTurn(username, work) : work()))
  return {
    inTurn: begin,
    call: (username, work) => (isFull() ? Promise.reject(busy(1)) : begin(username, () => counted(work))),
    isFull,
    takeRequest: (tokenId) => (enabled ? take(requests, tokenId) : Promise.resolve()),
    takeLoginRedirect: (sessionId) => (enabled ? take(redirects, sessionId) : Promise.resolve()),
  }
}

async function take(limiter: { consume(key: string): Promise<unknown> }, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    throw rateLimited(secondsUntil(refusal as Partial<RateLimiterRes>))
  }
}

function secondsUntil(refusal: Partial<RateLimiterRes>): number {
  return Math.max(1, Math.ceil((refusal.msBeforeNext ?? 1000) / 1000))
}
