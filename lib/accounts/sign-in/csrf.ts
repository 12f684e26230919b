import { createHash, randomBytes } from 'node:crypto'
import { cookies } from 'next/headers'
import type { Settings } from '../../platform/config'
import { cookieName, cookieOptions } from '../../platform/http/cookies'

/** The value for the sign-in form's `csrfToken` field, from the cookie that `proxy.ts` sets. */
export async function csrfToken(settings: Settings): Promise<string> {
  return (await cookies()).get(cookieName(settings, 'csrf'))?.value.split('|')[0] ?? ''
}

/** The same for a route handler that runs before any page was shown: a browser without the cookie gets one. */
export async function csrfTokenOrNew(settings: Settings): Promise<string> {
  const name = cookieName(settings, 'csrf')
  const jar = await cookies()
  const known = jar.get(name)?.value
  const cookie =
    known !== undefined && isCsrfCookie(known, settings.nextAuthSecret)
      ? known
      : makeCsrfCookie(settings.nextAuthSecret)
  if (cookie !== known) jar.set(name, cookie, cookieOptions(settings))
  return cookie.split('|')[0] ?? ''
}

/**
 * next-auth's double-submit token, `value|sha256(value + secret)`. `proxy.ts` creates it before the sign-in page
 * renders, because a server component cannot set the cookie that its own form needs.
 */
export function makeCsrfCookie(secret: string): string {
  const value = randomBytes(32).toString('hex')
  return `${value}|${hashOf(value, secret)}`
}

/** Whether the cookie was created with this secret. */
export function isCsrfCookie(cookie: string | undefined, secret: string): boolean {
  const [value, hash] = (cookie ?? '').split('|')
  return value !== undefined && value !== '' && hash === hashOf(value, secret)
}

function hashOf(value: string, secret: string): string {
  return createHash('sha256').update(`${value}${secret}`).digest('hex')
}
