/** One token bucket for each key, in the memory of this process. */
export interface RateLimiter {
  /** Takes one of the key's tokens. When none is left, returns the whole seconds until the next one. */
  consume(key: string): number | undefined
}

/** Sums of fractions of a millisecond are not exact. Without this, a full bucket for one token would refuse it now and then. */
const ROUNDING_MS = 0.001

/**
 * A bucket holds at most `burst` tokens and refills at `perSecond`, as the generic cell rate algorithm computes it:
 * only the moment at which a bucket is full again is stored. Own code, because rate-limiter-flexible counts in fixed
 * windows: it grants a new burst in every window, so that a client can stay above `perSecond` for as long as it
 * likes.
 */
export function makeRateLimiter({
  perSecond,
  burst,
}: {
  readonly perSecond: number
  readonly burst: number
}): RateLimiter {
  const tokenMs = 1_000 / perSecond
  const emptyMs = burst * tokenMs
  /** Ordered by the last `consume`. A full bucket is deleted once every bucket before it is full too. */
  const fullAt = new Map<string, number>()

  function forgetFull(nowMs: number): void {
    for (const [key, atMs] of fullAt) {
      if (atMs > nowMs) return
      fullAt.delete(key)
    }
  }

  return {
    consume(key) {
      // Monotonic, so that setting the system's clock grants no tokens.
      const nowMs = performance.now()
      forgetFull(nowMs)
      const fullAgainAt = Math.max(fullAt.get(key) ?? nowMs, nowMs) + tokenMs
      const waitMs = fullAgainAt - emptyMs - nowMs
      if (waitMs > ROUNDING_MS) return Math.ceil(waitMs / 1_000)
      fullAt.delete(key)
      fullAt.set(key, fullAgainAt)
      return undefined
    },
  }
}
