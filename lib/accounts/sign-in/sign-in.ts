import { isBusy } from '../../platform/concurrency/concurrency-limiter'
import { DEFAULT_PASSWORD } from '../../platform/config'
import { prismaCall } from '../../platform/db/prisma-call'
import { openSession } from '../sessions/session-store'
import type { AccountPorts } from '../types'
import { isUsername } from '../users'
import type { KnownBrowser } from './known-browser'
import { normalPassword } from './passwords'
import type { Verdict } from './sign-in-throttle'

export type SignIn =
  | { readonly kind: 'signed-in'; readonly username: string; readonly sessionId: string }
  | { readonly kind: 'refused' }
  /** The password is right, but an operator has suspended the user. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'wait'; readonly seconds: number }
  /** Too many sign-ins are in progress. This result does not reveal whether the user exists or the password is right. */
  | { readonly kind: 'busy' }

/**
 * Checks a name and a password and opens a session. An unknown name, a closed user and a wrong password give the same answer
 * after the same work. Only the right password reveals that a user is suspended. The published default password opens no account on a
 * server that other machines can reach. A browser in which this user signed in before has its own count of wrong passwords, so that
 * guesses from elsewhere do not lock the user out.
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
  const kind = isKnown ? 'known' : 'new'
  try {
    let passwordHash: string | undefined
    const result = await ports.signInThrottle.attempt(key, async () => {
      const user = await findUser(ports.db, username)
      passwordHash = user?.passwordHash
      return check(ports, user, { username, password, browser: kind })
    })
    if (result === 'right' && passwordHash !== undefined)
      return await open(ports, { username, browser: kind, passwordHash })
    if (result === 'wrong' || result === 'right') return { kind: 'refused' }
    if (result === 'suspended') return { kind: 'suspended' }
    const who = nameForLog(username, (await findUser(ports.db, username)) !== null)
    ports.boundedLog.info({ username: who, browser: kind, seconds: result }, 'sign-in throttled')
    return { kind: 'wait', seconds: result }
  } catch (error) {
    if (isBusy(error)) return { kind: 'busy' }
    throw error
  }
}

interface Attempt {
  readonly username: string
  /** Whether this user signed in with this browser before. */
  readonly browser: 'known' | 'new'
}

async function check(
  ports: AccountPorts,
  user: Awaited<ReturnType<typeof findUser>>,
  { username, password, browser }: Attempt & { readonly password: string },
): Promise<Verdict> {
  const matches = await ports.passwords.matches(password, user?.passwordHash)
  // Compared in the normalized form: a full-width spelling is the same password.
  const allowed = ports.settings.defaultPasswordsAllowed || normalPassword(password) !== DEFAULT_PASSWORD
  if (matches && allowed && user?.status === 'active') return 'right'
  if (matches && allowed && user?.status === 'suspended') {
    ports.boundedLog.info({ username, browser }, 'sign-in of a suspended user')
    return 'suspended'
  }
  ports.boundedLog.info({ username: nameForLog(username, user !== null), browser }, 'sign-in failed')
  return 'wrong'
}

async function open(
  ports: AccountPorts,
  { username, browser, passwordHash }: Attempt & { readonly passwordHash: string },
): Promise<SignIn> {
  const sessionId = ports.ids.secret()
  if (!(await openSession(ports.db, sessionId, username, passwordHash))) return { kind: 'refused' }
  ports.log.info({ username, browser }, 'signed in')
  return { kind: 'signed-in', username, sessionId }
}

const findUser = prismaCall('findUser', ({ user }, username: string) =>
  user.findUnique({ where: { id: username }, select: { passwordHash: true, status: true } }),
)

/** A user may type the password into the name field, so only the names of existing users are logged. */
function nameForLog(username: string, isUser: boolean): string {
  return isUser ? username : 'unknown name'
}

/**
 * The user name in the typed text: `$alice@vasp` means alice. Empty, so that no user matches, for text that cannot be a name.
 */
function usernameOf(typed: string): string {
  const name = typed.trim().replace(/^\$/, '').split('@', 1)[0]?.toLowerCase() ?? ''
  return isUsername(name) ? name : ''
}
