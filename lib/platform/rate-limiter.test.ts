import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRateLimiter, type RateLimiter } from './rate-limiter'

describe('a rate limiter', () => {
  let limiter: RateLimiter
  beforeEach(() => {
    vi.useFakeTimers()
    limiter = makeRateLimiter({ perSecond: 50, burst: 200 })
  })
  afterEach(() => void vi.useRealTimers())

  const taken = (count: number, key = 'a'): number =>
    Array.from({ length: count }, () => limiter.consume(key)).filter((wait) => wait === undefined).length

  it('grants the burst once, then the sustained rate, however long the flood lasts', () => {
    expect(taken(400)).toBe(200)
    const each = Array.from({ length: 30 }, () => {
      vi.advanceTimersByTime(1_000)
      return taken(100)
    })
    expect(each).toEqual(Array.from({ length: 30 }, () => 50))
  })

  it('refills during a pause, up to the burst', () => {
    taken(400)
    vi.advanceTimersByTime(2_000)
    expect(taken(400)).toBe(100)
    vi.advanceTimersByTime(4_000)
    expect(taken(400)).toBe(200)
    vi.advanceTimersByTime(3_600_000)
    expect(taken(400)).toBe(200)
  })

  it('grants a full bucket for one token its token at every moment, and no second one', () => {
    for (const perSecond of [1 / 60, 1 / 3, 0.7])
      for (let moment = 0; moment < 300; moment++) {
        vi.advanceTimersByTime(61_000.137)
        const one = makeRateLimiter({ perSecond, burst: 1 })
        expect(one.consume('a')).toBeUndefined()
        expect(one.consume('a')).toBeGreaterThan(0)
      }
  })

  it('returns the whole seconds until the next token', () => {
    taken(200)
    expect(limiter.consume('a')).toBe(1)
    const slow = makeRateLimiter({ perSecond: 0.2, burst: 1 })
    expect([slow.consume('a'), slow.consume('a')]).toEqual([undefined, 5])
    vi.advanceTimersByTime(4_999)
    expect(slow.consume('a')).toBe(1)
    vi.advanceTimersByTime(1)
    expect(slow.consume('a')).toBe(undefined)
  })

  it('counts each key separately', () => {
    taken(400)
    expect(taken(200, 'b')).toBe(200)
  })

  it('keeps no entry for a key whose bucket is full', () => {
    const keys = vi.spyOn(Map.prototype, 'set')
    for (let key = 0; key < 1_000; key++) limiter.consume(`key ${key}`)
    const map = keys.mock.contexts[0] as Map<string, number>
    keys.mockRestore()
    expect(map.size).toBe(1_000)
    vi.advanceTimersByTime(1_000)
    limiter.consume('another')
    expect([...map.keys()]).toEqual(['another'])
  })
})
