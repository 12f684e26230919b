import { decode } from 'next-auth/jwt'
import { cookies } from 'next/headers'
import type { AccountPorts } from './types'
import { addressOf } from 'uma-auth-vasp'
import { cookieName } from './cookies'
import { personOfSession, type SessionPerson } from './sessions'

type SessionPorts = Pick<AccountPorts, 'db' | 'settings'>

export interface Person {
  readonly username: string
  readonly displayName: string
  /** `$alice@localhost:3000` */
  readonly address: string
  readonly sessionId: string
}

/** The session named by the browser's cookie, whatever became of it; null without a readable cookie. */
export async function sessionOfRequest({
  db,
  settings,
}: SessionPorts): Promise<({ sessionId: string } & SessionPerson) | null> {
  const cookie = (await cookies()).get(cookieName(settings, 'session'))?.value
  if (cookie === undefined) return null
  const token = await decode({ token: cookie, secret: settings.nextAuthSecret }).catch(() => null)
  if (typeof token?.sid !== 'string') return null
  const person = await personOfSession(db, token.sid)
  return person === undefined ? null : { sessionId: token.sid, ...person }
}

/** Who is signed in, read from the session's row at each call; null when nobody is, or the account is suspended. */
export async function currentPerson(ports: SessionPorts): Promise<Person | null> {
  const session = await sessionOfRequest(ports)
  if (session === null || session.suspended) return null
  const { username, displayName, sessionId } = session
  return { username, displayName, address: addressOf(username, ports.settings.vaspDomain), sessionId }
}
