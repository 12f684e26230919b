import type { Clock } from '../platform/clock'
import { setBounded } from '../platform/concurrency/bounded-map'
import { makeKeyedLimiter } from '../platform/concurrency/keyed-limiter'

const FREE_TRIES = 5
const MAX_WAIT_MS = 5 * 60_000
const FORGOTTEN_AFTER_MS = 15 * 60_000
const MAX_KEYS = 10_000
const MAX_QUEUED_PER_KEY = 100

interface Tries {
  failures: number
  lastFailureAtMs: number
  isUser: boolean
}

/**
 * Slows down guessing: five wrong passwords for a key, then a wait that doubles from 2 s to 5 min. The key is a name,
 * or a name and a browser in which this user signed in before.
 */
export interface SignInThrottle {
  /** Seconds until the next try for this key is allowed; 0 when it is allowed now. */
  waitSeconds(key: string): number
  /** `isUser`: a user has this name. */
  failed(key: string, isUser?: boolean): void
  succeeded(key: string): void
  /** Whether the name of this key belongs to a user, as recorded at the last wrong password. */
  isUser(key: string): boolean
  /**
   * Runs the attempts for one key one after the other, so that each sees the results of earlier attempts: of forty
   * guesses at the same instant five are checked, and correct passwords at the same instant all succeed.
   * @throws Error for which `isBusy` holds, when too many attempts for this key are queued.
   */
  runInOrder<Result>(key: string, attempt: () => Promise<Result>): Promise<Result>
}

export function makeSignInThrottle(clock: Clock): SignInThrottle {
  const triesByKey = new Map<string, Tries>()
  const attempts = makeKeyedLimiter({ maxConcurrent: 1, maxQueued: MAX_QUEUED_PER_KEY })
  const nowMs = () => clock.now().getTime()
  return {
    waitSeconds(key) {
      const tries = triesByKey.get(key)
      if (tries === undefined || tries.failures < FREE_TRIES) return 0
      const waitMs = Math.min(MAX_WAIT_MS, 1000 * 2 ** (tries.failures - FREE_TRIES + 1))
      return Math.max(0, Math.ceil((tries.lastFailureAtMs + waitMs - nowMs()) / 1000))
    },
    failed(key, isUser = false) {
      const known = triesByKey.get(key)
      const recent = known !== undefined && nowMs() - known.lastFailureAtMs < FORGOTTEN_AFTER_MS
      const tries = { failures: recent ? known.failures + 1 : 1, lastFailureAtMs: nowMs(), isUser }
      setBounded(triesByKey, key, tries, MAX_KEYS)
    },
    succeeded(key) {
      triesByKey.delete(key)
    },
    isUser: (key) => triesByKey.get(key)?.isUser === true,
    runInOrder: (key, attempt) => attempts.run(key, attempt),
  }
}
