import type { NextAuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { cookies } from 'next/headers'
import { cookieName, cookieOptions, isSecure } from '../../platform/http/cookies'
import { localUrl } from '../../platform/http/local-url'
import { sessionOfRequest } from '../sessions/current-user'
import { SESSION_SECONDS } from '../sessions/session-store'
import type { AccountPorts } from '../types'
import { authorize, type Browser } from './authorize'
import { KNOWN_BROWSER_SECONDS, knownBrowserCookie, readKnownBrowser } from './known-browser'
import { sessionSecret } from './team-gate'

/**
 * The session of the dashboard only: the API's bearer tokens never use it. The cookie contains an encrypted JWT whose
 * `sid` names a row of `sessions`. Only that row decides whether the session is open.
 */
export function authOptions(ports: AccountPorts): NextAuthOptions {
  const { settings } = ports
  const options = cookieOptions(settings)
  return {
    secret: settings.nextAuthSecret,
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    jwt: { secret: sessionSecret(settings), maxAge: SESSION_SECONDS },
    useSecureCookies: isSecure(settings),
    cookies: {
      sessionToken: { name: cookieName(settings, 'session'), options },
      callbackUrl: { name: cookieName(settings, 'callback'), options },
      csrfToken: { name: cookieName(settings, 'csrf'), options },
    },
    pages: { signIn: '/login', error: '/login' },
    providers: [
      Credentials({
        id: 'credentials',
        credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
        authorize: (given) => authorize(ports, given, browserOf(ports)),
      }),
    ],
    callbacks: {
      jwt: ({ token, user }) => (user === undefined ? token : { ...token, sid: (user as { sid?: string }).sid }),
      redirect: ({ url }) => localUrl(url, settings.publicOrigin),
    },
    logger: {
      // The library's codes are in capitals. Any other text may come from a request.
      error: (code, metadata) =>
        ports.log.warn(
          { code: /^[A-Z_]{1,60}$/.test(code) ? code : 'other', error: errorIn(metadata) },
          'sign-in library',
        ),
      warn: () => undefined,
      debug: () => undefined,
    },
  }
}

/** The browser of the request that is being answered. */
function browserOf(ports: AccountPorts): Browser {
  const { settings } = ports
  const name = cookieName(settings, 'browser')
  const known = async () => readKnownBrowser(ports, (await cookies()).get(name)?.value)
  return {
    formerSessionId: async () => (await sessionOfRequest(ports))?.sessionId,
    known,
    async remember(username) {
      const value = await knownBrowserCookie(ports, await known(), username)
      ;(await cookies()).set(name, value, { ...cookieOptions(settings), maxAge: KNOWN_BROWSER_SECONDS })
    },
  }
}

function errorIn(metadata: unknown): Error | undefined {
  if (metadata instanceof Error) return metadata
  const { error } = (metadata ?? {}) as { error?: unknown }
  return error instanceof Error ? error : undefined
}
