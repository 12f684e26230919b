import type { Clock } from '../clock'
import { keepNewest } from '../keep-newest'
import { makeWorkQueue, type WorkQueue } from '../concurrency'

const FREE_TRIES = 5
const LONGEST_WAIT_MS = 5 * 60_000
const FORGOTTEN_AFTER_MS = 15 * 60_000
const MOST_KEYS = 10_000
const MOST_WAITING_FOR_A_KEY = 100

interface Tries {
  failures: number
  lastFailureAtMs: number
  isUser: boolean
}

/**
 * Slows down guessing: five wrong passwords for a key, then a wait that doubles, 2 s up to 5 min. The key is a name, or a
 * name and a browser in which this user signed in before.
 */
export interface SignInThrottle {
  /** Seconds to wait before the next try for this key counts; 0 when it may be made now. */
  waitSeconds(key: string): number
  /** `isUser`: a user has this name. */
  failed(key: string, isUser?: boolean): void
  succeeded(key: string): void
  /** Whether a user has the name of this key, as the last wrong password showed. */
  isUser(key: string): boolean
  /**
   * Carries out the tries for one key one after the other, so that each knows how the ones before it ended: forty
   * guesses at the same instant are five, and right passwords at the same instant all pass.
   * @throws Error for which `isBusy` holds, when too many tries for this key wait already.
   */
  inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result>
}

export function makeSignInThrottle(clock: Clock): SignInThrottle {
  const triesByKey = new Map<string, Tries>()
  const queueByKey = new Map<string, WorkQueue>()
  const nowMs = () => clock.now().getTime()
  return {
    waitSeconds(key) {
      const tries = triesByKey.get(key)
      if (tries === undefined || tries.failures < FREE_TRIES) return 0
      const waitMs = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (tries.failures - FREE_TRIES + 1))
      return Math.max(0, Math.ceil((tries.lastFailureAtMs + waitMs - nowMs()) / 1000))
    },
    failed(key, isUser = false) {
      const known = triesByKey.get(key)
      const recent = known !== undefined && nowMs() - known.lastFailureAtMs < FORGOTTEN_AFTER_MS
      const tries = { failures: recent ? known.failures + 1 : 1, lastFailureAtMs: nowMs(), isUser }
      keepNewest(triesByKey, key, tries, MOST_KEYS)
    },
    succeeded(key) {
      triesByKey.delete(key)
    },
    isUser: (key) => triesByKey.get(key)?.isUser === true,
    async inTurn(key, run) {
      const queue = queueByKey.get(key) ?? makeWorkQueue({ atOnce: 1, mostWaiting: MOST_WAITING_FOR_A_KEY })
      queueByKey.set(key, queue)
      try {
        return await queue.run(run)
      } finally {
        if (queue.isIdle()) queueByKey.delete(key)
      }
    },
  }
}
