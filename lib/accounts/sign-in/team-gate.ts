import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { isBusy } from '../../platform/concurrency/concurrency-limiter'
import { makeKeyedLimiter, type KeyedLimiter } from '../../platform/concurrency/keyed-limiter'
import type { Settings } from '../../platform/config'
import { networkOf } from '../../platform/http/networks'
import { singleton } from '../../platform/process-singletons'
import { makeAttemptCounter, type CounterPorts } from './attempt-counter'

/** Lifetime of the cookie: thirty days from the entry of the team password. */
export const TEAM_COOKIE_SECONDS = 30 * 24 * 60 * 60
/** Wrong passwords are counted for each client network, so that one network cannot lock out another. */
const POLICY = { freeAttempts: 20, firstWaitSeconds: 1, maxWaitSeconds: 1, forgottenAfterSeconds: 20 }

type GateSettings = Pick<Settings, 'teamPassword' | 'nextAuthSecret' | 'instance'>

/**
 * Whether a browser may see the sandbox tools: there is no gate, or the browser's cookie was issued for the
 * current team password. A new team password closes the gate for every browser, and ends every session.
 */
export function passesTeamGate(settings: GateSettings, cookie: string | undefined): boolean {
  return settings.teamPassword === undefined || (cookie !== undefined && isEqual(cookie, teamCookie(settings)))
}

/** The value of the cookie for browsers that entered the team password. It proves membership, and names no user. */
export function teamCookie({ teamPassword, nextAuthSecret, instance }: GateSettings): string {
  return createHmac('sha256', nextAuthSecret).update(`team-gate:${instance}:${teamPassword}`).digest('base64url')
}

/**
 * Encrypts the session cookies. A new team password therefore ends every session, so that no one who knew only the former one
 * stays signed in.
 */
export function sessionSecret({ teamPassword, nextAuthSecret, instance }: GateSettings): string {
  if (teamPassword === undefined) return nextAuthSecret
  return createHmac('sha256', nextAuthSecret).update(`sessions:${instance}:${teamPassword}`).digest('base64url')
}

/**
 * Checks a team password in constant time. Only wrong passwords are counted, because test programs send the right one with
 * every request. A right and a wrong one take the same path, so a network that has to wait does not learn which one it
 * sent. All instances share the counts.
 * @returns the seconds to wait after too many wrong passwords, or whether the password is right.
 */
export async function tryTeamPassword(
  { db, settings }: CounterPorts & { readonly settings: GateSettings },
  given: string,
  clientAddress: string,
): Promise<number | boolean> {
  const { teamPassword } = settings
  const network = networkOf(clientAddress) ?? 'unknown'
  const counter = makeAttemptCounter({ db, settings }, 'team', POLICY)
  const isRight = isEqual(given.normalize('NFKC'), teamPassword ?? '') && teamPassword !== undefined
  const attempt = await inOrder()
    .run(network, () => counter.begin(network, isRight ? 0 : 1))
    .catch((error: unknown) => {
      if (isBusy(error)) return { waitSeconds: POLICY.maxWaitSeconds }
      throw error
    })
  return 'waitSeconds' in attempt ? attempt.waitSeconds : isRight
}

/** A flood from one network occupies at most one database connection of this process. The queue is long enough for test programs. */
function inOrder(): KeyedLimiter {
  return singleton('team-gate-order', () => makeKeyedLimiter({ maxConcurrent: 1, maxQueued: 500 }))
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
