import { describe, expect, it } from 'vitest'
import { makeSignInThrottle } from './sign-in-throttle'

describe('the sign-in throttle', () => {
  it('doubles the wait from 2 s to 5 min, allows the next try after it, and resets after a success', () => {
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

  it('delays one name and no other', () => {
    const throttle = makeSignInThrottle({ now: () => new Date(0) })
    for (let count = 0; count < 9; count++) throttle.failed('alice')
    expect(throttle.waitSeconds('alice')).toBeGreaterThan(0)
    expect(throttle.waitSeconds('bob')).toBe(0)
  })

  it('resets a quarter of an hour after the last wrong password, and not earlier', () => {
    let nowMs = 0
    const throttle = makeSignInThrottle({ now: () => new Date(nowMs) })
    for (let count = 0; count < 8; count++) throttle.failed('alice')
    nowMs += 15 * 60_000 - 1
    throttle.failed('alice')
    expect(throttle.waitSeconds('alice')).toBe(32)
    nowMs += 15 * 60_000
    throttle.failed('alice')
    expect(throttle.waitSeconds('alice')).toBe(0)
  })

  it('remembers at most ten thousand names and evicts the oldest', () => {
    const throttle = makeSignInThrottle({ now: () => new Date(0) })
    for (let count = 0; count < 6; count++) throttle.failed('alice')
    for (let count = 0; count < 9_999; count++) throttle.failed(`guess-${count}`)
    expect(throttle.waitSeconds('alice')).toBeGreaterThan(0)
    throttle.failed('one-more')
    expect(throttle.waitSeconds('alice')).toBe(0)
  })
})
