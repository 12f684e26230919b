import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeBuckets, type Buckets } from './token-bucket'

describe('a bucket of tokens', () => {
  let buckets: Buckets
  beforeEach(() => {
    vi.useFakeTimers()
    buckets = makeBuckets({ perSecond: 50, burst: 200 })
  })
  afterEach(() => void vi.useRealTimers())

  const taken = (count: number, key = 'a'): number =>
    Array.from({ length: count }, () => buckets.take(key)).filter((wait) => wait === undefined).length

  it('gives what it holds at once, then what comes back, however long somebody goes on asking', () => {
    expect(taken(400)).toBe(200)
    const each = Array.from({ length: 30 }, () => {
      vi.advanceTimersByTime(1_000)
      return taken(100)
    })
    expect(each).toEqual(Array.from({ length: 30 }, () => 50))
  })

  it('is full again after a pause, and no fuller than full', () => {
    taken(400)
    vi.advanceTimersByTime(2_000)
    expect(taken(400)).toBe(100)
    vi.advanceTimersByTime(4_000)
    expect(taken(400)).toBe(200)
    vi.advanceTimersByTime(3_600_000)
    expect(taken(400)).toBe(200)
  })

  it('says after how many whole seconds there is another token', () => {
    taken(200)
    expect(buckets.take('a')).toBe(1)
    const slow = makeBuckets({ perSecond: 0.2, burst: 1 })
    expect([slow.take('a'), slow.take('a')]).toEqual([undefined, 5])
    vi.advanceTimersByTime(4_999)
    expect(slow.take('a')).toBe(1)
    vi.advanceTimersByTime(1)
    expect(slow.take('a')).toBe(undefined)
  })

  it('is one for each key', () => {
    taken(400)
    expect(taken(200, 'b')).toBe(200)
  })

  it('is forgotten once it is full', () => {
    const keys = vi.spyOn(Map.prototype, 'set')
    for (let key = 0; key < 1_000; key++) buckets.take(`key ${key}`)
    const map = keys.mock.contexts[0] as Map<string, number>
    keys.mockRestore()
    expect(map.size).toBe(1_000)
    vi.advanceTimersByTime(1_000)
    buckets.take('another')
    expect([...map.keys()]).toEqual(['another'])
  })
})
