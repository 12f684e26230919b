import { encode } from 'next-auth/jwt'
import { cookies } from 'next/headers'
import { cookieName, cookieOptions } from '../../platform/http/cookies'
import { sessionSecret } from '../sign-in/team-gate'
import type { AccountPorts } from '../types'
import { sessionOfRequest } from './current-user'
import { endSession, openSession, SESSION_SECONDS } from './session-store'

/**
 * Signs the browser in without a password, as the user that it has just created or whose sign-in link it opened. The cookie
 * has the form that the sign-in library reads. The browser's previous session ends.
 */
export async function openBrowserSession(
  ports: Pick<AccountPorts, 'db' | 'settings' | 'ids' | 'log'>,
  username: string,
): Promise<void> {
  const { db, settings, ids, log } = ports
  const former = await sessionOfRequest(ports)
  if (former !== null) await endSession(db, former.sessionId)
  const sid = ids.secret()
  await openSession(db, sid, username)
  const token = { name: username, sub: username, sid }
  const value = await encode({ token, secret: sessionSecret(settings), maxAge: SESSION_SECONDS })
  ;(await cookies()).set(cookieName(settings, 'session'), value, {
    ...cookieOptions(settings),
    maxAge: SESSION_SECONDS,
  })
  log.info({ username }, 'signed in')
}
