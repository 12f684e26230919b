import { vi } from 'vitest'
import type { RateLimits } from '@/lib/platform/http/rate-limits'

/** Some work of a token that has nothing left, while the clock by which it comes back stands still. */
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
  throw new Error('the limits are off')
}
