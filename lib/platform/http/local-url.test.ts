import { describe, expect, it } from 'vitest'
import { localUrl } from './local-url'

const ORIGIN = 'http://localhost:3000'

describe('the page that a browser is sent back to', () => {
  it.each([
    ['/connections', `${ORIGIN}/connections`],
    ['/connect?ask=a.b.c', `${ORIGIN}/connect?ask=a.b.c`],
    [`${ORIGIN}/connections`, `${ORIGIN}/connections`],
  ])('is the requested page when it is on this site: %s', (url, expected) => {
    expect(localUrl(url, ORIGIN)).toBe(expected)
  })

  it.each([
    '//evil.com',
    'evil.com',
    '///evil.com',
    '/\\evil.com',
    '\\\\evil.com',
    '/\t/evil.com',
    'https://evil.com',
    'http://localhost:3001/',
    'http://localhost:3000@evil.com/',
    'http://localhost:3000.evil.com/',
    'https://localhost:3000/',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:http://localhost:3000/x',
    'http://alice@localhost:3000/',
    'http://',
  ])('is never on another site: %j', (url) => {
    const target = new URL(localUrl(url, ORIGIN))
    expect(target.origin).toBe(ORIGIN)
    expect(target.protocol).toBe('http:')
    expect(target.username).toBe('')
  })

  it.each(['/.//evil.com', '/x/..//evil.com', '/%2e//evil.com', '/..//evil.com'])(
    'is never on another site once the browser has normalized it: %s',
    (path) => {
      const location = localUrl(path, ORIGIN)
      expect(new URL(location, ORIGIN).origin).toBe(ORIGIN)
      expect(location).toBe(`${ORIGIN}//evil.com`)
    },
  )
})
