import type { RateLimiterRes } from 'rate-limiter-flexible'

/** What of a rate limiter takes a point. */
interface Limiter {
  consume(key: string): Promise<unknown>
}

/** Takes one of the key's points; the whole seconds after which it is worth another try when none is left. */
export async function takePoint(limiter: Limiter, key: string): Promise<number | undefined> {
  try {
    await limiter.consume(key)
    return undefined
  } catch (refusal) {
    return secondsUntil(refusal as Partial<RateLimiterRes>)
  }
}

export function secondsUntil({ msBeforeNext = 1_000 }: Partial<RateLimiterRes>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000))
}
