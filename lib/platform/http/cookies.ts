import type { Settings } from '../config'

type Naming = Pick<Settings, 'instance' | 'publicOrigin'>

/**
 * All ports of localhost share one cookie jar, so every name contains the instance. Over https the names begin with
 * `__Host-`, which binds the cookies to this host. Over plain http, browsers refuse cookies with this prefix.
 */
export function cookieName(
  settings: Naming,
  kind: 'session' | 'csrf' | 'callback' | 'theme' | 'browser' | 'team' | 'shown-once',
): string {
  return `${isSecure(settings) ? '__Host-' : ''}${settings.instance}.${kind}`
}

/** Whether browsers reach this server over https, so that its cookies may be `Secure`. */
export function isSecure(settings: Naming): boolean {
  return settings.publicOrigin.startsWith('https:')
}
