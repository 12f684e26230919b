import { localUrl } from '../platform/http/local-url'

/** Encoding makes a path at most three times as long. Request validation rejects addresses over 8 kB. */
const MAX_RETURN_PATH_LENGTH = 2_500

/**
 * The address of the sign-in page, with the page of this site to return to after signing in. `url` may be any value
 * from a request.
 */
export function loginAddress(url: string | undefined, publicOrigin: string, error?: 'SignedOut' | 'Suspended'): string {
  const params = new URLSearchParams(error === undefined ? {} : { error })
  const back = backFrom(url, publicOrigin)
  if (back !== undefined) params.set('back', back)
  return params.size === 0 ? '/login' : `/login?${params}`
}

/** The path of a page of this site to return to after signing in; undefined for any other address. */
export function backFrom(url: string | undefined, publicOrigin: string): string | undefined {
  if (url === undefined || url === '') return undefined
  const path = localUrl(url, publicOrigin).slice(publicOrigin.length)
  // A path that begins with two slashes names another host. The home page is the default destination, so it needs no
  // parameter.
  if (path === '' || path === '/' || path.startsWith('//') || path.length > MAX_RETURN_PATH_LENGTH) return undefined
  return /^\/(login|api|connect)([/?#]|$)/.test(path) ? undefined : path
}
