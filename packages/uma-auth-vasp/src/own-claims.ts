import { wrongAnswer } from './callbacks.ts'

/** Further claims for a token. The user is signed in, and nothing is stored yet. */
export type OwnClaims = (token: {
  readonly use: 'login' | 'connection'
  readonly userId: string
  readonly address: string | undefined
}) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>

/** Names that belong to the package or to the standard (RFC 7519). */
const RESERVED = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'address', 'token_use', 'scope'])
const MAX_OWN_CLAIMS = 256

/** @throws Error that names the function, for anything but an object whose claims may be signed. */
export function checkedOwnClaims(own: unknown): Record<string, unknown> {
  const expected = `an object of at most ${MAX_OWN_CLAIMS} characters as JSON, without the names of the package's claims`
  if (typeof own !== 'object' || own === null || Array.isArray(own)) throw wrongAnswer('ownClaims', own, expected)
  // What is checked is what is signed: a getter or `toJSON` could answer something else the next time.
  const text = JSON.stringify(own)
  const copy: unknown = JSON.parse(text)
  const names = typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? Object.keys(copy) : undefined
  if (names === undefined || text.length > MAX_OWN_CLAIMS || names.some((name) => RESERVED.has(name)))
    throw wrongAnswer('ownClaims', own, expected)
  return copy as Record<string, unknown>
}
