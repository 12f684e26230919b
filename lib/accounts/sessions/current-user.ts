import { decode } from 'next-auth/jwt'
import { cookies } from 'next/headers'
import { addressOf } from 'uma-auth-vasp'
import { cookieName } from '../../platform/http/cookies'
import { passesTeamGate, sessionSecret } from '../sign-in/team-gate'
import type { AccountPorts } from '../types'
import { userOfSession, type SessionUser } from './session-store'

type SessionPorts = Pick<AccountPorts, 'db' | 'settings'>

export interface CurrentUser {
  readonly username: string
  readonly displayName: string
  /** `$alice@localhost:3000` */
  readonly address: string
  readonly sessionId: string
  /** Created on demand. Without its password, no one can sign in as this user again. */
  readonly temporary: boolean
  /** The chosen time zone; null or absent for that of the browser. */
  readonly timeZone?: string | null
}

/** The id in the browser's session cookie. Undefined without a readable cookie. Whether the session is open is in the database. */
export async function sessionIdOfRequest({ settings }: Pick<SessionPorts, 'settings'>): Promise<string | undefined> {
  const cookie = (await cookies()).get(cookieName(settings, 'session'))?.value
  if (cookie === undefined) return undefined
  const token = await decode({ token: cookie, secret: sessionSecret(settings) }).catch(() => null)
  return typeof token?.sid === 'string' ? token.sid : undefined
}

/** The session that the browser's cookie names. Null without a readable cookie or an open session. */
export async function sessionOfRequest(ports: SessionPorts): Promise<({ sessionId: string } & SessionUser) | null> {
  const sessionId = await sessionIdOfRequest(ports)
  if (sessionId === undefined) return null
  const user = await userOfSession(ports.db, sessionId)
  return user === undefined ? null : { sessionId, ...user }
}

/** Whether this browser may see the sandbox tools and the sign-in page. */
export async function isPastTeamGate({ settings }: Pick<AccountPorts, 'settings'>): Promise<boolean> {
  if (settings.teamPassword === undefined) return true
  return passesTeamGate(settings, (await cookies()).get(cookieName(settings, 'team'))?.value)
}

/** The signed-in user, read from the session's row at each call. Null without a session, or when the account is suspended. */
export async function currentUser(ports: SessionPorts): Promise<CurrentUser | null> {
  const session = await sessionOfRequest(ports)
  if (session === null || session.suspended) return null
  const { username, displayName, sessionId, temporary, timeZone = null } = session
  const address = addressOf(username, ports.settings.vaspDomain)
  return { username, displayName, address, sessionId, temporary, timeZone }
}
