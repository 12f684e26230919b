import type { Clock } from '../clock'
import { keepNewest } from '../keep-newest'
import { makeWorkQueue, type WorkQueue } from '../work-queue'

const FREE_TRIES = 5
const LONGEST_WAIT_MS = 5 * 60_000
const FORGOTTEN_AFTER_MS = 15 * 60_000
const MOST_NAMES = 10_000
const MOST_WAITING_FOR_A_NAME = 100

interface Tries {
  failures: number
  lastFailureAtMs: number
}

/** Slows down guessing: five wrong passwords for a name, then a wait that doubles, 2 s up to 5 min. */
export interface SignInThrottle {
  /** Seconds to wait before the next try for this name counts; 0 when it may be made now. */
  waitSeconds(username: string): number
  failed(username: string): void
  succeeded(username: string): void
  /**
   * Carries out the tries for one name one after the other, so that each knows how the ones before it ended: forty
   * guesses at the same instant are five, and right passwords at the same instant all pass.
   * @throws Error for which `isBusy` holds, when too many tries for this name wait already.
   */
  inTurn<Result>(username: string, run: () => Promise<Result>): Promise<Result>
}

export function makeSignInThrottle(clock: Clock): SignInThrottle {
  const triesByName = new Map<string, Tries>()
  const queueByName = new Map<string, WorkQueue>()
  const nowMs = () => clock.now().getTime()
  return {
    waitSeconds(username) {
      const tries = triesByName.get(username)
      if (tries === undefined || tries.failures < FREE_TRIES) return 0
      const waitMs = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (tries.failures - FREE_TRIES + 1))
      return Math.max(0, Math.ceil((tries.lastFailureAtMs + waitMs - nowMs()) / 1000))
    },
    failed(username) {
      const known = triesByName.get(username)
      const recent = known !== undefined && nowMs() - known.lastFailureAtMs < FORGOTTEN_AFTER_MS
      const tries = { failures: recent ? known.failures + 1 : 1, lastFailureAtMs: nowMs() }
      keepNewest(triesByName, username, tries, MOST_NAMES)
    },
    succeeded(username) {
      triesByName.delete(username)
    },
    async inTurn(username, run) {
      const queue = queueByName.get(username) ?? makeWorkQueue({ atOnce: 1, mostWaiting: MOST_WAITING_FOR_A_NAME })
      queueByName.set(username, queue)
      try {
        return await queue.run(run)
      } finally {
        if (queue.isIdle()) queueByName.delete(username)
      }
    },
  }
}
