import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRateLimits, type RateLimits } from './rate-limits'

const allowed = async (count: number, take: () => Promise<void>): Promise<number> => {
  const results = await Promise.allSettled(Array.from({ length: count }, take))
  return results.filter(({ status }) => status === 'fulfilled').length
}

const REFUSED = { status: 503, options: { headers: { 'Retry-After': '1' } } }

describe('rate limits', () => {
  let limits: RateLimits
  beforeEach(() => {
    vi.useFakeTimers()
    limits = makeRateLimits(true)
  })
  afterEach(() => void vi.useRealTimers())

  it('let a token burst to 200 calls, then go on at 50 a second', async () => {
    expect(await allowed(400, () => limits.takeRequest('a'))).toBe(200)
    vi.advanceTimersByTime(1_001)
    expect(await allowed(400, () => limits.takeRequest('a'))).toBe(50)
  })

  it('let one token’s flood cost no other token a call', async () => {
    await allowed(400, () => limits.takeRequest('a'))
    expect(await allowed(100, () => limits.takeRequest('b'))).toBe(100)
  })

  it('allow sixty login redirects a minute for each session', async () => {
    expect(await allowed(200, () => limits.takeLoginRedirect('s'))).toBe(60)
    expect(await allowed(1, () => limits.takeLoginRedirect('t'))).toBe(1)
    vi.advanceTimersByTime(60_001)
    expect(await allowed(200, () => limits.takeLoginRedirect('s'))).toBe(60)
  })

  it('refuse with 429 RATE_LIMITED and say in whole seconds when to come back', async () => {
    await allowed(60, () => limits.takeLoginRedirect('s'))
    const refusal = await limits.takeLoginRedirect('s').catch((error: unknown) => error)
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    const { options } = refusal as { options: { headers: Record<string, string> } }
    expect(Number(options.headers['Retry-After'])).toBeGreaterThanOrEqual(1)
    expect(Number(options.headers['Retry-After'])).toBeLessThanOrEqual(60)
  })

  it('count nothing when they are switched off', async () => {
    const off = makeRateLimits(false)
    expect(await allowed(500, () => off.takeRequest('a'))).toBe(500)
    expect(await allowed(100, () => off.takeLoginRedirect('s'))).toBe(100)
  })
})

describe('the turns of one person', () => {
  const held = (): { promise: Promise<void>; release: () => void } => {
    let release: () => void = () => {}
    const promise = new Promise<void>((resolve) => (release = resolve))
    return { promise, release }
  }

  it('run five at once, let others by, and carry out every one that waits', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    let running = 0
    const work = async (): Promise<number> => {
      running += 1
      await promise
      return running
    }
    const mine = Array.from({ length: 50 }, () => limits.inTurn('alice', work))
    await Promise.resolve()
    expect(running).toBe(5)
    expect(await limits.inTurn('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    expect(await Promise.all(mine)).toHaveLength(50)
    expect(running).toBe(50)
  })

  it('are 429 when 400 wait, and the failure of one is nobody else’s', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const waiting = Array.from({ length: 405 }, () => limits.inTurn('alice', () => promise))
    await expect(limits.inTurn('alice', () => promise)).rejects.toMatchObject({ status: 429 })
    release()
    await Promise.all(waiting)
    await expect(limits.inTurn('alice', () => Promise.reject(new Error('one')))).rejects.toThrow('one')
    expect(await limits.inTurn('alice', () => Promise.resolve('next'))).toBe('next')
  })

  it.each([true, false])(
    'are 503 with a time to come back when 1,000 of all people are under way (limits %s)',
    async (on) => {
      const limits = makeRateLimits(on)
      const { promise, release } = held()
      const waiting = Array.from({ length: 1_000 }, (_, index) => limits.inTurn(`person ${index % 50}`, () => promise))
      expect(limits.isFull()).toBe(true)
      await expect(limits.inTurn('another', () => promise)).rejects.toMatchObject(REFUSED)
      release()
      await Promise.all(waiting)
      expect(await limits.inTurn('another', () => Promise.resolve('by'))).toBe('by')
    },
  )

  it.each([true, false])('are 503 at once when 200 calls are at work (limits %s)', async (on) => {
    const limits = makeRateLimits(on)
    const { promise, release } = held()
    const calls = Array.from({ length: 199 }, (_, index) => limits.call(`person ${index % 40}`, () => promise))
    // What is not a call waits for others, and takes no call's place.
    const abroad = limits.inTurn('abroad', () => promise)
    await Promise.resolve()
    expect(limits.isFull()).toBe(false)
    calls.push(limits.call('the last', () => promise))
    await Promise.resolve()
    expect(limits.isFull()).toBe(true)
    await expect(limits.call('another', () => promise)).rejects.toMatchObject(REFUSED)
    release()
    await Promise.all([...calls, abroad])
    expect(limits.isFull()).toBe(false)
    expect(await limits.call('another', () => Promise.resolve('by'))).toBe('by')
  })

  it('do not count as work what waits in line for its own person', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const mine = Array.from({ length: 300 }, () => limits.call('alice', () => promise))
    await Promise.resolve()
    expect(limits.isFull()).toBe(false)
    expect(await limits.call('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    await Promise.all(mine)
  })
})
