import { ownPath } from './own-path'

/** Encoded, it is at most three times as long, and request validation rejects addresses over 8 kB. */
const MAX_RETURN_PATH_LENGTH = 2_500

/** The sign-in page, which leads back to a page of ours afterwards. `url` may be anything that a request carries. */
export function loginAddress(url: string | undefined, publicOrigin: string, error?: 'SignedOut'): string {
  const params = new URLSearchParams(error === undefined ? {} : { error })
  const back = backFrom(url, publicOrigin)
  if (back !== undefined) params.set('back', back)
  return params.size === 0 ? '/login' : `/login?${params}`
}

/** The path of a page of ours to return to after signing in; undefined for any other address. */
export function backFrom(url: string | undefined, publicOrigin: string): string | undefined {
  if (url === undefined || url === '') return undefined
  const path = ownPath(url, publicOrigin).slice(publicOrigin.length)
  // A path that begins with two slashes names another host; the sign-in page and the home page are where one ends anyway.
  if (path === '' || path === '/' || path.startsWith('//') || path.length > MAX_RETURN_PATH_LENGTH) return undefined
  return /^\/(login|api|connect)([/?#]|$)/.test(path) ? undefined : path
}
