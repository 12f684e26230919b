import type { Settings } from '../config'

type Naming = Pick<Settings, 'instance' | 'publicOrigin'>

/**
 * All ports of localhost share one cookie jar, so every name carries the instance. Over https the names begin with
 * `__Host-`, which binds them to this host; plain http (local names only) cannot set those.
 */
export function cookieName(
  settings: Naming,
  kind: 'session' | 'csrf' | 'callback' | 'theme' | 'browser' | 'team',
): string {
  return `${isSecure(settings) ? '__Host-' : ''}${settings.instance}.${kind}`
}

/** Whether people reach this server by https, so that its cookies may ask for it. */
export function isSecure(settings: Naming): boolean {
  return settings.publicOrigin.startsWith('https:')
}
