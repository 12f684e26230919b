import { endSession } from '../sessions/session-store'
import type { AccountPorts } from '../types'
import type { KnownBrowser } from './known-browser'
import { signIn } from './sign-in'

/** The codes of a failed sign-in in the address of the sign-in page. Any other value is ignored. */
export const SIGN_IN_ERRORS = /^(CredentialsSignin|Suspended|TooManyTries-\d{1,3}|Busy|Unavailable|Failed|Expired)$/

/** The browser that signs in, identified by its cookies. */
export interface Browser {
  /** The session that the browser had before. */
  formerSessionId(): Promise<string | undefined>
  known(): Promise<KnownBrowser | undefined>
  remember(username: string): Promise<void>
}

export interface SignedIn {
  readonly id: string
  readonly name: string
  readonly sid: string
}

/**
 * Called by the sign-in library. Returns the user, or null for a name and a password that do not match. The library puts
 * the message of an error into a URL, so each unexpected error is logged here and replaced by a fixed code. The browser's
 * previous session ends: each browser has one session, with a new id at each sign-in.
 */
export async function authorize(ports: AccountPorts, given: unknown, browser: Browser): Promise<SignedIn | null> {
  const { username, password } = (given ?? {}) as { username?: unknown; password?: unknown }
  if (typeof username !== 'string' || typeof password !== 'string') return null
  const result = await attempt(ports, username, password, browser)
  switch (result.kind) {
    case 'signed-in':
      return { id: result.username, name: result.username, sid: result.sessionId }
    case 'refused':
      return null
    case 'suspended':
      throw new Error('Suspended')
    case 'wait':
      throw new Error(`TooManyTries-${result.seconds}`)
    case 'busy':
      throw new Error('Busy')
    case 'failed':
      throw new Error(result.word)
  }
}

async function attempt(
  ports: AccountPorts,
  username: string,
  password: string,
  browser: Browser,
): Promise<Awaited<ReturnType<typeof signIn>> | { kind: 'failed'; word: 'Unavailable' | 'Failed' }> {
  try {
    const result = await signIn(ports, username, password, await browser.known())
    if (result.kind !== 'signed-in') return result
    const former = await browser.formerSessionId()
    if (former !== undefined) await endSession(ports.db, former)
    await browser.remember(result.username)
    return result
  } catch (error) {
    ports.log.error({ error }, 'the sign-in ended with an error')
    return { kind: 'failed', word: ports.describeFailure(error).status === 503 ? 'Unavailable' : 'Failed' }
  }
}
