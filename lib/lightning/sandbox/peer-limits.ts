import { RateLimiterMemory } from 'rate-limiter-flexible'
import { secondsUntil, takePoint } from '../../limiter'
import { makeBuckets } from '../../token-bucket'
import { makeWorkQueue, type WorkQueue } from '../../concurrency'

/**
 * How often a node may be called, in the memory of this process. Each verb gives the whole seconds after which it is worth
 * another call, or undefined while there is room.
 */
export interface PeerLimits {
  /** A call that no peer has signed; all of them together, since whose they are nobody knows. */
  takeStranger(): Promise<number | undefined>
  /** A call that this peer has signed. Taken after its signature holds: nobody can use up what is another's. */
  takeCall(peer: string): number | undefined
  /**
   * Work of one peer on the database: so much at once, the rest after it. All that a peer pays us meets at its one account,
   * where each would wait for the one before with a connection in hand.
   * @throws Error for which `isBusy` holds, when too much waits already.
   */
  inTurn<Result>(peer: string, work: () => Promise<Result>): Promise<Result>
  /** Whether one more refusal may be written for this peer; each is a row that is kept for a day. */
  refusalsLeft(peer: string): Promise<number | undefined>
  /** A refusal was answered. `isLast` once, when it used up what there was. */
  countRefusal(peer: string): Promise<{ readonly isLast: boolean }>
}

const STRANGERS_PER_SECOND = 100
/** After a pause, a bank may have a thousand payments at one moment. */
const CALLS = { perSecond: 200, burst: 1_000 }
/** Of ten connections to the database. */
const AT_ONCE = 3
/** Of honest nodes next to none of the calls are refused. At this rate a day of them is 430,000 small rows. */
export const REFUSALS_PER_MINUTE = 300

export function makePeerLimits(enabled: boolean): PeerLimits {
  const strangers = new RateLimiterMemory({ keyPrefix: 'strangers', points: STRANGERS_PER_SECOND, duration: 1 })
  const calls = makeBuckets(CALLS)
  const refusals = new RateLimiterMemory({ keyPrefix: 'refusals', points: REFUSALS_PER_MINUTE, duration: 60 })
  const room = Promise.resolve(undefined)
  const queues = new Map<string, WorkQueue>()
  function queueOf(peer: string): WorkQueue {
    const queue = queues.get(peer) ?? makeWorkQueue({ atOnce: AT_ONCE, mostWaiting: CALLS.burst })
    queues.set(peer, queue)
    return queue
  }
  return {
    inTurn: (peer, work) => (enabled ? queueOf(peer).run(work) : work()),
    takeStranger: () => (enabled ? takePoint(strangers, 'all') : room),
    takeCall: (peer) => (enabled ? calls.take(peer) : undefined),
    async refusalsLeft(peer) {
      const used = enabled ? await refusals.get(peer) : null
      return used === null || used.consumedPoints < REFUSALS_PER_MINUTE ? undefined : secondsUntil(used)
    },
    async countRefusal(peer) {
      const used = enabled ? await refusals.penalty(peer) : undefined
      return { isLast: used?.consumedPoints === REFUSALS_PER_MINUTE }
    },
  }
}
