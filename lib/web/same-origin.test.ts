import { describe, expect, it } from 'vitest'
import { isSameOrigin } from './same-origin'

describe('isSameOrigin', () => {
  it('accepts only the server’s own origin', () => {
    expect(isSameOrigin('http://localhost:3000', 'http://localhost:3000')).toBe(true)
  })

  it.each([
    [null],
    [''],
    ['null'],
    ['http://localhost:3001'],
    ['https://localhost:3000'],
    ['http://localhost'],
    ['http://localhost:3000/'],
    ['http://localhost:3000, http://evil.com'],
    ['http://localhost:3000.evil.com'],
    ['http://LOCALHOST:3000'],
  ])('rejects the Origin %j', (origin) => {
    expect(isSameOrigin(origin, 'http://localhost:3000')).toBe(false)
  })
})
