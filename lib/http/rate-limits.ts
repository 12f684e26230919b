import { RateLimiterMemory } from 'rate-limiter-flexible'
import { busy, rateLimited } from '../errors'
import { takePoint } from '../limiter'
import { makeBuckets } from '../token-bucket'
import { isBusy, makeWorkQueue, type WorkQueue, makeTurns } from '../concurrency'

export interface RateLimits {
  /** One API call of a token. @throws VaspError 429 */
  takeRequest(tokenId: string): void
  /**
   * Work of one person, whatever the number of their connections: so much at once, the rest after it, so that nobody
   * takes the whole database from the others. @throws VaspError 429 when too much waits already; 503 when so much is
   * under way for everybody together that more would only wait, whether or not limits are switched on.
   */
  inTurn<Result>(username: string, work: () => Promise<Result>): Promise<Result>
  /**
   * The same for an API call. It occupies one of its user's slots only, until its work starts: calls that wait for their turn, or
   * whose body is still on its way, do not count against the limit for all users together.
   * @throws VaspError also 503 while `isFull`.
   */
  admit(username: string): Promise<Admission>
  /** Work that may wait for another VASP, in lines of its own: whatever fills them keeps no call from being answered. */
  abroad<Result>(username: string, work: () => Promise<Result>): Promise<Result>
  /** As many calls are at work as are answered soon: said before anything of the next has been read. */
  isFull(): boolean
  /** One login redirect of a dashboard session. @throws VaspError 429 */
  takeLoginRedirect(sessionId: string): Promise<void>
}

/** An admitted API call. */
export interface Admission {
  /** Waits for one of the places of all users together. Calls while the place is held do nothing. @throws VaspError 503 */
  startWork(): Promise<void>
  /** Gives the place back, while the call waits for its client. */
  pauseWork(): void
  /** Ends the call. Calls after the first do nothing. */
  release(): void
}

/** Of one token: fifty a second for as long as it likes, and two hundred at once after a pause. */
const REQUESTS = { perSecond: 50, burst: 200 }
const LOGIN_REDIRECTS_PER_MINUTE = 60
/** Half of the connections to the database; two whole bursts wait. */
const CALLS = { atOnce: 5, mostWaiting: 400, mostUnderWay: 1_000 }
/**
 * Three of the ten requests that go out to other VASPs at once (lib/net/guarded-fetch), each of which may take ten seconds: one
 * person, or three, whose addresses lead to silent servers leave a place to the others. As many wait as may wait to be asked.
 */
const ABROAD = { atOnce: 3, mostWaiting: 100, mostUnderWay: 1_000 }
/**
 * For everybody together: half a second's calls on two cores. Twenty for each connection to the database: more would wait
 * for one until their time is over, and be refused late.
 */
const MOST_AT_WORK = 200

/**
 * Limits by token and by session, in the memory of this process. None by address: a gateway is one address for
 * everybody behind it.
 */
export function makeRateLimits(enabled: boolean): RateLimits {
  const requests = makeBuckets(REQUESTS)
  const redirects = new RateLimiterMemory({ keyPrefix: 'connect', points: LOGIN_REDIRECTS_PER_MINUTE, duration: 60 })
  const calls = makeTurns({ ...CALLS, inLine: enabled })
  const abroad = makeTurns({ ...ABROAD, inLine: enabled })
  // Bodies that were long on their way may come to their end together: what was let in waits for a place, and is not refused late.
  const atWork = makeWorkQueue({ atOnce: MOST_AT_WORK, mostWaiting: CALLS.mostUnderWay })
  const isFull = (): boolean => !atWork.hasRoom()
  return {
    inTurn: (username, work) => calls.run(username, work),
    async admit(username) {
      if (isFull()) throw busy(1)
      return makeAdmission(await calls.acquire(username), atWork)
    },
    abroad: (username, work) => abroad.run(username, work),
    isFull,
    takeRequest(tokenId) {
      if (enabled) refuseUntil(requests.take(tokenId))
    },
    async takeLoginRedirect(sessionId) {
      if (enabled) refuseUntil(await takePoint(redirects, sessionId))
    },
  }
}

function makeAdmission(releaseTurn: () => void, atWork: WorkQueue): Admission {
  let releasePlace: (() => void) | undefined
  let released = false
  const pauseWork = (): void => {
    releasePlace?.()
    releasePlace = undefined
  }
  return {
    async startWork() {
      if (releasePlace !== undefined) return
      const acquired = await atWork.acquire().catch((error: unknown) => {
        throw isBusy(error) ? busy(1) : error
      })
      if (released) acquired()
      else releasePlace = acquired
    },
    pauseWork,
    release() {
      if (released) return
      released = true
      pauseWork()
      releaseTurn()
    },
  }
}

function refuseUntil(seconds: number | undefined): void {
  if (seconds !== undefined) throw rateLimited(seconds)
}
