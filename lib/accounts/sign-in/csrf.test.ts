import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isCsrfCookie, makeCsrfCookie } from './csrf'

interface TheirCsrf {
  createCSRFToken: (input: {
    options: { secret: string }
    cookieValue?: string
    isPost?: boolean
    bodyValue?: string
  }) => { cookie?: string; csrfToken: string; csrfTokenVerified?: boolean }
}

// Imported by file, because the library's package exports do not include it.
const require = createRequire(import.meta.url)
const folder = dirname(require.resolve('next-auth'))
const { createCSRFToken } = require(join(folder, 'core', 'lib', 'csrf-token.js')) as TheirCsrf

const secret = 'a secret of thirty-two characters'
const options = { secret }

describe('the sign-in form’s cookie', () => {
  it('passes next-auth’s check together with the field derived from it', () => {
    const cookieValue = makeCsrfCookie(secret)
    const bodyValue = cookieValue.split('|')[0] ?? ''
    expect(createCSRFToken({ options, cookieValue, isPost: true, bodyValue })).toEqual({
      csrfTokenVerified: true,
      csrfToken: bodyValue,
    })
  })

  it('is accepted when next-auth created it', () => {
    expect(isCsrfCookie(createCSRFToken({ options }).cookie, secret)).toBe(true)
  })

  it('fails the check with another field, another secret or another value', () => {
    const cookieValue = makeCsrfCookie(secret)
    expect(createCSRFToken({ options, cookieValue, isPost: true, bodyValue: 'x' }).csrfTokenVerified).toBe(false)
    const [value, hash] = cookieValue.split('|')
    for (const forged of [
      `${value}|${'0'.repeat(64)}`,
      `x${value}|${hash}`,
      `${value}`,
      `|${hash}`,
      '|',
      '',
      undefined,
    ])
      expect(isCsrfCookie(forged, secret), forged).toBe(false)
    expect(isCsrfCookie(cookieValue, 'another secret of thirty-two chars')).toBe(false)
  })

  it('is different each time', () => {
    expect(new Set(Array.from({ length: 100 }, () => makeCsrfCookie(secret))).size).toBe(100)
  })
})
