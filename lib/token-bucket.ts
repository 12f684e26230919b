export interface Buckets {
  /** Takes one of the key's tokens; the whole seconds after which there is another when none is left. */
  take(key: string): number | undefined
}

/**
 * A bucket of tokens for each key, in the memory of this process: so many come back a second, and a full one holds `burst`.
 * Kept as the moment at which the bucket will be full again, so nothing runs for those that nobody asks for.
 */
export function makeBuckets({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }): Buckets {
  const tokenMs = 1_000 / perSecond
  const emptyMs = burst * tokenMs
  /** In the order of the last taking, so those that were full first are among the first. */
  const fullAt = new Map<string, number>()

  function forgetFull(nowMs: number): void {
    for (const [key, atMs] of fullAt) {
      if (atMs > nowMs) return
      fullAt.delete(key)
    }
  }

  return {
    take(key) {
      // A clock that nobody sets.
      const nowMs = performance.now()
      forgetFull(nowMs)
      const fullAgainAt = Math.max(fullAt.get(key) ?? nowMs, nowMs) + tokenMs
      const waitMs = fullAgainAt - emptyMs - nowMs
      if (waitMs > 0) return Math.ceil(waitMs / 1_000)
      fullAt.delete(key)
      fullAt.set(key, fullAgainAt)
      return undefined
    },
  }
}
