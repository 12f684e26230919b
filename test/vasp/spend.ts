import { vi } from 'vitest'
import type { RateLimits } from '@/lib/platform/http/rate-limits'

/** Runs work with a token that has no calls left, while the clock that refills them stands still. */
export async function whileSpent<Result>(
  limits: Pick<RateLimits, 'consume'>,
  tokenId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    takeAll(limits, tokenId)
    return await work()
  } finally {
    vi.useRealTimers()
  }
}

const MORE_THAN_ANY = 10_000

function takeAll(limits: Pick<RateLimits, 'consume'>, tokenId: string): void {
  for (let taken = 0; taken < MORE_THAN_ANY; taken++) {
    try {
      limits.consume(tokenId)
    } catch {
      return
    }
  }
  throw new Error('the rate limits are off')
}
