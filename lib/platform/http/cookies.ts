import type { Settings } from '../config'

type CookieKind = 'session' | 'csrf' | 'callback' | 'theme' | 'keys' | 'browser' | 'team' | 'shown-once'
type Naming = Pick<Settings, 'instance' | 'publicOrigin'>

/**
 * All ports of localhost share one cookie jar, so every name contains the instance. Over https the names begin with
 * `__Host-`, which binds the cookies to this host. Over plain http, browsers refuse cookies with this prefix.
 */
export function cookieName(settings: Naming, kind: CookieKind): string {
  return `${isSecure(settings) ? '__Host-' : ''}${settings.instance}.${kind}`
}

/** Whether browsers reach this server over https, so that its cookies may be `Secure`. */
export function isSecure(settings: Naming): boolean {
  return settings.publicOrigin.startsWith('https:')
}

/** Options of every cookie: no script reads it, and no form of another site sends it. */
export function cookieOptions(settings: Naming) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(settings) } as const
}

/** The header that sets a cookie with these options, or with an age of 0 deletes it. */
export function setCookie(
  settings: Naming,
  kind: CookieKind,
  value: string,
  maxAgeSeconds: number,
  sameSite: 'Lax' | 'Strict' = 'Lax',
): Readonly<Record<'Set-Cookie', string>> {
  const secure = isSecure(settings) ? '; Secure' : ''
  return {
    'Set-Cookie': `${cookieName(settings, kind)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`,
  }
}
