import type { RateLimits } from '@/lib/http/rate-limits'

/** Takes all that a token may ask for as long as some work is under way: what was taken comes back a little at a time. */
export async function spendDuring<Result>(
  limits: Pick<RateLimits, 'takeRequest'>,
  tokenId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const spent = { enough: false }
  const spending = (async () => {
    while (!spent.enough) {
      takeAll(limits, tokenId)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  try {
    return await work()
  } finally {
    spent.enough = true
    await spending
  }
}

function takeAll(limits: Pick<RateLimits, 'takeRequest'>, tokenId: string): void {
  try {
    for (;;) limits.takeRequest(tokenId)
  } catch {
    // That was the last for now.
  }
}
