import type { AccountPorts } from './types'
import { DEFAULT_PASSWORD } from '../platform/config'
import { isBusy } from '../platform/concurrency/concurrency-limiter'
import type { KnownBrowser } from './known-browser'
import { normalPassword } from './passwords'
import { openSession } from './sessions'
import { isUsername } from './username'

export type SignIn =
  | { readonly kind: 'signed-in'; readonly username: string; readonly sessionId: string }
  | { readonly kind: 'refused' }
  /** The password is right, and an operator has suspended the user. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'wait'; readonly seconds: number }
  /** Too many sign-ins are in progress. This does not depend on the name or the password. */
  | { readonly kind: 'busy' }

/**
 * Checks a name and a password and opens a session. An unknown name, a closed user and a wrong password give the same answer
 * after the same work; only the right password reveals that a user is suspended. The printed default password opens no account on a server that other machines can
 * reach. A browser in which this user signed in before has its own count of wrong passwords, so that guesses from
 * elsewhere do not lock the user out.
 */
export async function signIn(
  ports: AccountPorts,
  name: string,
  password: string,
  browser?: KnownBrowser,
): Promise<SignIn> {
  const username = usernameOf(name)
  const isKnown = browser?.usernames.includes(username) === true
  const key = isKnown ? `${username} ${browser.id}` : username
  try {
    return await ports.signInThrottle.runInOrder(key, () => tryOnce(ports, { username, password, key, isKnown }))
  } catch (error) {
    if (isBusy(error)) return { kind: 'busy' }
    throw error
  }
}

interface Try {
  readonly username: string
  readonly password: string
  /** The key under which wrong passwords are counted. */
  readonly key: string
  /** Whether this user signed in with this browser before. */
  readonly isKnown: boolean
}

async function tryOnce(ports: AccountPorts, { username, password, key, isKnown }: Try): Promise<SignIn> {
  const { settings, signInThrottle } = ports
  const browser = isKnown ? 'known' : 'new'
  const seconds = settings.rateLimits ? signInThrottle.waitSeconds(key) : 0
  if (seconds > 0) {
    const who = nameForLog(username, signInThrottle.isUser(key))
    ports.boundedLog.info({ username: who, browser, seconds }, 'sign-in throttled')
    return { kind: 'wait', seconds }
  }
  const user = await ports.db.prisma.user.findUnique({
    where: { id: username },
    select: { passwordHash: true, status: true },
  })
  const matches = await ports.passwords.matches(password, user?.passwordHash)
  // Compared in the normalized form: a full-width spelling is the same password.
  const allowed = settings.defaultPasswordsAllowed || normalPassword(password) !== DEFAULT_PASSWORD
  if (matches && allowed && user?.status === 'suspended') {
    // No guess, so it does not count as a wrong password.
    ports.boundedLog.info({ username, browser }, 'sign-in of a suspended user')
    return { kind: 'suspended' }
  }
  if (!matches || !allowed || user?.status !== 'active') {
    const isUser = user !== null
    signInThrottle.failed(key, isUser)
    ports.boundedLog.info({ username: nameForLog(username, isUser), browser }, 'sign-in failed')
    return { kind: 'refused' }
  }
  signInThrottle.succeeded(key)
  const sessionId = ports.ids.secret()
  await openSession(ports.db, sessionId, username)
  ports.log.info({ username, browser }, 'signed in')
  return { kind: 'signed-in', username, sessionId }
}

/** A password may be typed as a name by mistake, so only the names of existing users are logged. */
function nameForLog(username: string, isUser: boolean): string {
  return isUser ? username : 'unknown name'
}

/**
 * The user name in what was typed: `$alice@vasp` means alice. Empty, and so no user, for text that cannot be a name.
 */
function usernameOf(typed: string): string {
  const name = typed.trim().replace(/^\$/, '').split('@', 1)[0]?.toLowerCase() ?? ''
  return isUsername(name) ? name : ''
}
