import { makeKeyedLimiter } from '../../platform/concurrency/keyed-limiter'
import { makeRateLimiter } from '../../platform/rate-limiter'

/**
 * How often peers may call this node, counted in the memory of this process. A method that returns a number returns the whole
 * seconds until the next call is allowed.
 */
export interface PeerLimits {
  /** Counts a call without a valid signature. All of them share one limit, because their sender is not known. */
  consumeUnsignedCall(): number | undefined
  /** Counts a call from this peer, after its signature was verified, so that no other client can use up the peer's limit. */
  consumeCall(peer: string): number | undefined
  /**
   * Runs database work of one peer. All payments of a peer lock its only account, so further work would occupy a database connection
   * while it waits for the lock.
   * @throws Error for which `isBusy` holds, when the peer's queue is full.
   */
  run<Result>(peer: string, task: () => Promise<Result>): Promise<Result>
}

const UNSIGNED_CALLS = { perSecond: 100, burst: 100 }
/** A bank may send a thousand payments at once after a pause. A call can store a refusal, which is kept for two hours. */
const CALLS = { perSecond: 200, burst: 1_000 }
/** Three of the ten database connections. */
const TASKS = { maxConcurrent: 3, maxQueued: CALLS.burst }

export function makePeerLimits(enabled: boolean): PeerLimits {
  const unsigned = makeRateLimiter(UNSIGNED_CALLS)
  const calls = makeRateLimiter(CALLS)
  const tasks = makeKeyedLimiter(TASKS)
  return {
    run: (peer, task) => (enabled ? tasks.run(peer, task) : task()),
    consumeUnsignedCall: () => (enabled ? unsigned.consume('all') : undefined),
    consumeCall: (peer) => (enabled ? calls.consume(peer) : undefined),
  }
}
