import { makeKeyedLimiter } from '../../platform/concurrency/keyed-limiter'
import type { Settings } from '../../platform/config'
import { makeAttemptCounter, type CounterPorts } from './attempt-counter'

const POLICY = { freeAttempts: 5, firstWaitSeconds: 2, maxWaitSeconds: 5 * 60, forgottenAfterSeconds: 15 * 60 }
const MAX_QUEUED_PER_KEY = 100

/** `suspended`: the password is right but opens no session. It is not counted as a guess, and does not reset the count. */
export type Verdict = 'right' | 'wrong' | 'suspended'

/**
 * Slows down guessing, for all instances together: five wrong passwords for a key, then a wait that doubles from 2 s to 5 min.
 * The key is a name, or a name and a browser in which this user signed in before.
 */
export interface SignInThrottle {
  /**
   * Checks one password, unless the key has to wait. A right password starts the count again. An error from `check`
   * does not count as a wrong password. In this process, attempts for one key run one after the other, so
   * correct passwords at the same instant all succeed.
   * @returns the seconds to wait, or the result of `check`.
   * @throws Error for which `isBusy` holds, when too many attempts for this key are queued.
   */
  attempt(key: string, check: () => Promise<Verdict>): Promise<number | Verdict>
}

/** With rate limits off, nothing is counted. */
export function makeSignInThrottle(
  ports: CounterPorts & { readonly settings: Pick<Settings, 'rateLimits'> },
): SignInThrottle {
  const counter = makeAttemptCounter(ports, 'sign-in', POLICY)
  const inOrder = makeKeyedLimiter({ maxConcurrent: 1, maxQueued: MAX_QUEUED_PER_KEY })

  async function attempt(key: string, check: () => Promise<Verdict>): Promise<number | Verdict> {
    const begun = await counter.begin(key)
    if ('waitSeconds' in begun) return begun.waitSeconds
    const verdict = await check().catch(async (error: unknown) => {
      // A failed withdrawal must not hide the error from `check`.
      await counter.withdraw(key, begun.number).catch(() => undefined)
      throw error
    })
    if (verdict === 'right') await counter.forget(key)
    if (verdict === 'suspended') await counter.withdraw(key, begun.number)
    return verdict
  }

  return {
    attempt: (key, check) => inOrder.run(key, ports.settings.rateLimits ? () => attempt(key, check) : check),
  }
}
