import type { Deps } from '../deps'
import type { Statement } from '../db/database'
import { DEFAULT_PASSWORD } from '../settings'
import { isBusy } from '../work-queue'
import { isPassword, normalPassword } from './passwords'
import { openSession } from './sessions'
import { isUsername } from '../users/address'

const CREDENTIALS: Statement = {
  name: 'credentials_of_user',
  text: `select password_hash, status from users where id = $1`,
}

export type SignIn =
  | { readonly kind: 'signed-in'; readonly username: string; readonly sessionId: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'wait'; readonly seconds: number }
  /** Too many people try at this instant; it says nothing about name or password. */
  | { readonly kind: 'busy' }

/**
 * Checks a name and a password and opens a session row. Unknown name, wrong password and suspended account give the
 * same answer after the same work. The printed default password opens nothing on a server that others can reach.
 */
export async function signIn(deps: Deps, name: string, password: string): Promise<SignIn> {
  const username = usernameOf(name)
  try {
    return await deps.signInThrottle.inTurn(username, () => tryOnce(deps, username, password))
  } catch (error) {
    if (isBusy(error)) return { kind: 'busy' }
    throw error
  }
}

async function tryOnce(deps: Deps, username: string, password: string): Promise<SignIn> {
  const { settings, signInThrottle } = deps
  const seconds = settings.rateLimits ? signInThrottle.waitSeconds(username) : 0
  if (seconds > 0) return { kind: 'wait', seconds }
  const [row] = await deps.db.query<{ password_hash: string; status: string }>(CREDENTIALS, [username])
  const matches = await isPassword(password, row?.password_hash)
  // Compared in the form in which it was checked: a full-width spelling is the same password.
  const allowed = settings.defaultPasswordsAllowed || normalPassword(password) !== DEFAULT_PASSWORD
  if (!matches || !allowed || row?.status !== 'active') {
    signInThrottle.failed(username)
    return { kind: 'refused' }
  }
  signInThrottle.succeeded(username)
  const sessionId = deps.ids.secret()
  await openSession(deps.db, sessionId, username)
  return { kind: 'signed-in', username, sessionId }
}

/** The user name in what was typed: `$alice@vasp` means alice. Empty, and so nobody, for what cannot be a name. */
function usernameOf(typed: string): string {
  const name = typed.trim().replace(/^\$/, '').split('@', 1)[0]?.toLowerCase() ?? ''
  return isUsername(name) ? name : ''
}
