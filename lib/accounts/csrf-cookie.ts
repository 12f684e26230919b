import { createHash, randomBytes } from 'node:crypto'

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
