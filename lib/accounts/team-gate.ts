import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Settings } from '../platform/config'
import { networkOf } from '../platform/http/networks'
import { singleton } from '../platform/process-singletons'
import { makeRateLimiter, type RateLimiter } from '../platform/rate-limiter'

/** Thirty days since the team password was entered. */
export const TEAM_COOKIE_SECONDS = 30 * 24 * 60 * 60
/** For each network of clients, so that one client cannot lock out the others. */
const TRIES = { perSecond: 1, burst: 20 }

type GateSettings = Pick<Settings, 'teamPassword' | 'nextAuthSecret' | 'instance'>

/**
 * Whether a browser may see the sandbox tools: there is no gate, or its cookie was issued for the current team
 * password. A new team password closes the gate for every browser.
 */
export function passesTeamGate(settings: GateSettings, cookie: string | undefined): boolean {
  return settings.teamPassword === undefined || (cookie !== undefined && isEqual(cookie, teamCookie(settings)))
}

/** The value of the cookie for browsers that entered the team password. It proves membership, and names no user. */
export function teamCookie({ teamPassword, nextAuthSecret, instance }: GateSettings): string {
  return createHmac('sha256', nextAuthSecret).update(`team-gate:${instance}:${teamPassword}`).digest('base64url')
}

/**
 * Checks a team password in constant time. Only wrong passwords are counted, because test programs send the right one with
 * every request.
 * @returns the seconds to wait after too many wrong passwords, or whether the password is right.
 */
export function tryTeamPassword(
  { teamPassword }: GateSettings,
  given: string,
  clientAddress: string,
  limiter = processLimiter(),
): number | boolean {
  const network = networkOf(clientAddress) ?? 'unknown'
  const seconds = limiter.waitSeconds(network)
  if (seconds !== undefined) return seconds
  if (teamPassword !== undefined && isEqual(given.normalize('NFKC'), teamPassword)) return true
  limiter.consume(network)
  return false
}

function processLimiter(): RateLimiter {
  return singleton('team-gate-limiter', () => makeRateLimiter(TRIES))
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
