import type { NextAuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { deps, type Deps } from '../deps'
import { cookieName, isSecure } from './cookies'
import { SESSION_SECONDS, endSession } from './sessions'
import { signIn } from './sign-in'

/**
 * The dashboard's session, and nothing else: the API's bearer tokens never meet it. The cookie holds an encrypted JWT
 * whose `sid` names a row; the row decides.
 */
export function authOptions(current: Deps = deps()): NextAuthOptions {
  const { settings } = current
  const cookie = { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(settings) } as const
  return {
    secret: settings.nextAuthSecret,
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    useSecureCookies: isSecure(settings),
    cookies: {
      sessionToken: { name: cookieName(settings, 'session'), options: cookie },
      callbackUrl: { name: cookieName(settings, 'callback'), options: cookie },
      csrfToken: { name: cookieName(settings, 'csrf'), options: cookie },
    },
    pages: { signIn: '/login', error: '/login', signOut: '/' },
    providers: [
      Credentials({
        id: 'credentials',
        credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
        async authorize(given) {
          const result = await signIn(current, given?.username ?? '', given?.password ?? '')
          if (result.kind === 'wait') throw new Error(`TooManyTries-${result.seconds}`)
          return result.kind === 'signed-in' ? { id: result.username, sid: result.sessionId } : null
        },
      }),
    ],
    callbacks: {
      jwt: ({ token, user }) => (user === undefined ? token : { ...token, sid: (user as { sid?: string }).sid }),
      redirect: ({ url }) => ownPath(url, settings.publicOrigin),
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid === 'string') await endSession(current.db, token.sid)
      },
    },
    logger: {
      error: (code, metadata) =>
        current.log.warn({ code, error: metadata instanceof Error ? metadata : undefined }, 'sign-in library'),
      warn: () => undefined,
      debug: () => undefined,
    },
  }
}

/** Only pages of this origin are returned to; anything else leads home. */
export function ownPath(url: string, publicOrigin: string): string {
  const target = URL.canParse(url, publicOrigin) ? new URL(url, publicOrigin) : undefined
  // Not by `origin`: a blob: URL and one with user info have ours too.
  return target?.href.startsWith(`${publicOrigin}/`) === true ? target.href : publicOrigin
}
