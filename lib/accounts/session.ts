import { decode } from 'next-auth/jwt'
import { cookies } from 'next/headers'
import { deps, type Deps } from '../deps'
import { addressOf } from 'uma-auth-vasp'
import { cookieName } from './cookies'
import { personOfSession, type SessionPerson } from './sessions'

export interface Person {
  readonly username: string
  readonly displayName: string
  /** `$alice@localhost:3000` */
  readonly address: string
  readonly sessionId: string
}

/** The session named by the browser's cookie, whatever became of it; null without a readable cookie. */
export async function sessionOfRequest(current: Deps): Promise<({ sessionId: string } & SessionPerson) | null> {
  const cookie = (await cookies()).get(cookieName(current.settings, 'session'))?.value
  if (cookie === undefined) return null
  const token = await decode({ token: cookie, secret: current.settings.nextAuthSecret }).catch(() => null)
  if (typeof token?.sid !== 'string') return null
  const person = await personOfSession(current.db, token.sid)
  return person === undefined ? null : { sessionId: token.sid, ...person }
}

/** Who is signed in, read from the session's row at each call; null when nobody is, or the account is suspended. */
export async function currentPerson(): Promise<Person | null> {
  const current = deps()
  const session = await sessionOfRequest(current)
  if (session === null || session.suspended) return null
  const { username, displayName, sessionId } = session
  return { username, displayName, address: addressOf(username, current.settings.vaspDomain), sessionId }
}
