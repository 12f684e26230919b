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
  /** So much is under way that whoever comes now would be refused: said before anything of a request has been read. */
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
/** For everybody together: what this process answers in about a second on two cores, and more than one person may have. */
const MOST_UNDER_WAY = 500
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
  const isFull = (): boolean => underWay >= MOST_UNDER_WAY
  async function admitted<Result>(work: () => Promise<Result>): Promise<Result> {
    if (isFull()) throw busy(1)
    underWay += 1
    try {
      return await work()
    } finally {
      underWay -= 1
    }
  }
  return {
    isFull,
    inTurn: (username, work) => admitted(() => (enabled ? inTurn(username, work) : work())),
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
