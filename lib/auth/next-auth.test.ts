import { describe, expect, it } from 'vitest'
import { cookieName } from './cookies'
import { ownPath } from './next-auth'

const ORIGIN = 'http://localhost:3000'

describe('where a sign-in leads', () => {
  it.each([
    ['/connections', `${ORIGIN}/connections`],
    ['/connect?ask=a.b.c', `${ORIGIN}/connect?ask=a.b.c`],
    [`${ORIGIN}/connections`, `${ORIGIN}/connections`],
  ])('is the page asked for, when it is ours: %s', (url, expected) => {
    expect(ownPath(url, ORIGIN)).toBe(expected)
  })

  it.each([
    '//evil.com',
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
  ])('is never another site: %j', (url) => {
    const target = new URL(ownPath(url, ORIGIN))
    expect(target.origin).toBe(ORIGIN)
    expect(target.protocol).toBe('http:')
    expect(target.username).toBe('')
  })
})

describe('cookie names', () => {
  it('differ between two instances on one localhost', () => {
    const names = ['northbank', 'southbank'].map((instance) =>
      cookieName({ instance, publicOrigin: ORIGIN }, 'session'),
    )
    expect(names).toEqual(['northbank.session', 'southbank.session'])
  })

  it('are bound to the host over https', () => {
    expect(cookieName({ instance: 'northbank', publicOrigin: 'https://vasp.example' }, 'csrf')).toBe(
      '__Host-northbank.csrf',
    )
  })
})
