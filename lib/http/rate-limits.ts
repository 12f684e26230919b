import { BurstyRateLimiter, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { rateLimited } from '../errors'

export interface RateLimits {
  /** One API call of a token. @throws VaspError 429 */
  takeRequest(tokenId: string): Promise<void>
  /** One login redirect of a dashboard session. @throws VaspError 429 */
  takeLoginRedirect(sessionId: string): Promise<void>
}

const REQUESTS_PER_SECOND = 50
/** Above the steady rate: together 200 in the first second, as a burst after a pause. */
const BURST = 150
const LOGIN_REDIRECTS_PER_MINUTE = 60

/**
 * Limits by token and by session, in the memory of this process. None by address: a gateway is one address for
 * everybody behind it.
 */
export function makeRateLimits(enabled: boolean): RateLimits {
  const requests = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: 'api', points: REQUESTS_PER_SECOND, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'api-burst', points: BURST, duration: BURST / REQUESTS_PER_SECOND }),
  )
  const redirects = new RateLimiterMemory({ keyPrefix: 'connect', points: LOGIN_REDIRECTS_PER_MINUTE, duration: 60 })
  return {
    takeRequest: (tokenId) => (enabled ? take(requests, tokenId) : Promise.resolve()),
    takeLoginRedirect: (sessionId) => (enabled ? take(redirects, sessionId) : Promise.resolve()),
  }
}

async function take(limiter: { consume(key: string): Promise<unknown> }, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    throw rateLimited(secondsUntil(refusal as Partial<RateLimiterRes>))
  }
}

function secondsUntil(refusal: Partial<RateLimiterRes>): number {
  return Math.max(1, Math.ceil((refusal.msBeforeNext ?? 1000) / 1000))
}
