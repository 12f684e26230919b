import { describe, expect, it } from 'vitest'
import { makeSignInThrottle } from './sign-in-throttle'

describe('the sign-in throttle', () => {
  it('doubles the wait from 2 s up to 5 min, lets it pass, and forgets after success', () => {
    let nowMs = 0
    const throttle = makeSignInThrottle({ now: () => new Date(nowMs) })
    const waits = Array.from({ length: 16 }, () => {
      throttle.failed('alice')
      return throttle.waitSeconds('alice')
    })
    expect(waits.slice(0, 7)).toEqual([0, 0, 0, 0, 2, 4, 8])
    expect(waits.at(-1)).toBe(300)
    nowMs += 300_000
    expect(throttle.waitSeconds('alice')).toBe(0)
    throttle.succeeded('alice')
    throttle.failed('alice')
    expect(throttle.waitSeconds('alice')).toBe(0)
  })
})
