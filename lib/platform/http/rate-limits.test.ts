import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRateLimits, type RateLimits } from './rate-limits'

const allowed = async (count: number, consume: () => void): Promise<number> => {
  const results = await Promise.allSettled(Array.from({ length: count }, async () => consume()))
  return results.filter(({ status }) => status === 'fulfilled').length
}

/** A call as the API handler makes it: admitted, its body received, then the work. */
async function call<Result>(
  limits: RateLimits,
  username: string,
  work: () => Promise<Result>,
  body: Promise<void> = Promise.resolve(),
): Promise<Result> {
  const admission = await limits.admit(username)
  try {
    await body
    await admission.startWork()
    return await work()
  } finally {
    admission.release()
  }
}

/** Resolves when every task that can start has started. */
const started = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const REFUSED = { status: 503, options: { headers: { 'Retry-After': '1' } } }

describe('rate limits', () => {
  let limits: RateLimits
  beforeEach(() => {
    vi.useFakeTimers()
    limits = makeRateLimits(true)
  })
  afterEach(() => void vi.useRealTimers())

  it('allow a burst of 200 calls for each token, then 50 a second', async () => {
    expect(await allowed(400, () => limits.consume('a'))).toBe(200)
    for (let second = 0; second < 10; second++) {
      vi.advanceTimersByTime(1_000)
      expect(await allowed(400, () => limits.consume('a'))).toBe(50)
    }
  })

  it('count each token separately', async () => {
    await allowed(400, () => limits.consume('a'))
    expect(await allowed(100, () => limits.consume('b'))).toBe(100)
  })

  it('allow sixty login redirects a minute for each session', async () => {
    expect(await allowed(200, () => limits.consumeLoginRedirect('s'))).toBe(60)
    expect(await allowed(1, () => limits.consumeLoginRedirect('t'))).toBe(1)
    vi.advanceTimersByTime(60_001)
    expect(await allowed(200, () => limits.consumeLoginRedirect('s'))).toBe(60)
  })

  it('reject with 429 RATE_LIMITED and the whole seconds to wait', async () => {
    await allowed(60, () => limits.consumeLoginRedirect('s'))
    expect(() => limits.consumeLoginRedirect('s')).toThrow(
      expect.objectContaining({ status: 429, code: 'RATE_LIMITED', options: { headers: { 'Retry-After': '1' } } }),
    )
  })

  it('count nothing when rate limits are off', async () => {
    const off = makeRateLimits(false)
    expect(await allowed(500, () => off.consume('a'))).toBe(500)
    expect(await allowed(100, () => off.consumeLoginRedirect('s'))).toBe(100)
  })
})

describe('concurrency limits', () => {
  const held = (): { promise: Promise<void>; release: () => void } => {
    let release: () => void = () => {}
    const promise = new Promise<void>((resolve) => (release = resolve))
    return { promise, release }
  }

  it('run five tasks of a user at once, delay no other user, and run every queued task', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    let running = 0
    const work = async (): Promise<number> => {
      running += 1
      await promise
      return running
    }
    const mine = Array.from({ length: 50 }, () => limits.runForUser('alice', work))
    await started()
    expect(running).toBe(5)
    expect(await limits.runForUser('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    expect(await Promise.all(mine)).toHaveLength(50)
    expect(running).toBe(50)
  })

  it('reject with 429 when 400 tasks of a user are queued; a failed task affects no other task', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const waiting = Array.from({ length: 405 }, () => limits.runForUser('alice', () => promise))
    await expect(limits.runForUser('alice', () => promise)).rejects.toMatchObject({ status: 429 })
    release()
    await Promise.all(waiting)
    await expect(limits.runForUser('alice', () => Promise.reject(new Error('one')))).rejects.toThrow('one')
    expect(await limits.runForUser('alice', () => Promise.resolve('next'))).toBe('next')
  })

  it.each([true, false])(
    'reject with 503 and Retry-After when 1,000 tasks of all users are pending (rate limits %s)',
    async (on) => {
      const limits = makeRateLimits(on)
      const { promise, release } = held()
      const waiting = Array.from({ length: 1_000 }, (_, index) =>
        limits.runForUser(`user ${index % 50}`, () => promise),
      )
      await expect(limits.runForUser('user 7', () => promise)).rejects.toMatchObject(REFUSED)
      release()
      await Promise.all(waiting)
      expect(await limits.runForUser('user 7', () => Promise.resolve('by'))).toBe('by')
    },
  )

  it('start the task of an idle user at once, however long the queues of other users are', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const few = ['a', 'b', 'c', 'd']
    const inTurn = few.flatMap((name) => Array.from({ length: 250 }, () => limits.runForUser(name, () => promise)))
    const outbound = few.flatMap((name) => Array.from({ length: 103 }, () => limits.runOutbound(name, () => promise)))
    await expect(limits.runOutbound('a', () => promise)).rejects.toMatchObject({ status: 429 })
    expect(limits.isFull()).toBe(false)
    expect(await call(limits, 'bob', () => Promise.resolve('by'))).toBe('by')
    expect(await limits.runOutbound('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    await Promise.all([...inTurn, ...outbound])
  })

  it('run three outbound tasks of a user at once', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const asked = vi.fn(() => promise)
    const asks = Array.from({ length: 10 }, () => limits.runOutbound('a', asked))
    await started()
    expect(asked).toHaveBeenCalledTimes(3)
    release()
    await Promise.all(asks)
    expect(asked).toHaveBeenCalledTimes(10)
  })

  it('keep outbound tasks from delaying API calls, and start the first outbound task of an idle user at once', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const slow = Array.from({ length: 1_000 }, (_, index) => limits.runOutbound(`user ${index % 10}`, () => promise))
    await expect(limits.runOutbound('user 7', () => promise)).rejects.toMatchObject(REFUSED)
    expect(await call(limits, 'user 7', () => Promise.resolve('by'))).toBe('by')
    expect(await limits.runOutbound('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    await Promise.all(slow)
  })

  it.each([true, false])('reject with 503 at once when 200 calls are in progress (rate limits %s)', async (on) => {
    const onOverload = vi.fn()
    const limits = makeRateLimits(on, onOverload)
    const { promise, release } = held()
    const calls = Array.from({ length: 199 }, (_, index) => call(limits, `user ${index % 40}`, () => promise))
    // An outbound task does not count as a call in progress.
    const outbound = limits.runOutbound('outbound', () => promise)
    await started()
    expect(limits.isFull()).toBe(false)
    calls.push(call(limits, 'the last', () => promise))
    await started()
    expect(limits.isFull()).toBe(true)
    expect(onOverload).not.toHaveBeenCalled()
    await expect(call(limits, 'another', () => promise)).rejects.toMatchObject(REFUSED)
    expect(onOverload).toHaveBeenCalledTimes(1)
    release()
    await Promise.all([...calls, outbound])
    expect(limits.isFull()).toBe(false)
    expect(await call(limits, 'another', () => Promise.resolve('by'))).toBe('by')
  })

  it('start at most 200 of the calls whose bodies end at the same moment', async () => {
    const limits = makeRateLimits(true)
    const [body, answer] = [held(), held()]
    const work = vi.fn(() => answer.promise)
    const calls = Array.from({ length: 250 }, (_, index) => call(limits, `user ${index}`, work, body.promise))
    body.release()
    await expect.poll(() => work.mock.calls.length).toBe(200)
    expect(limits.isFull()).toBe(true)
    answer.release()
    await Promise.all(calls)
    expect(work).toHaveBeenCalledTimes(250)
  })

  it('reject with 503 when more than 1,000 calls wait to start, even when their bodies end at the same moment', async () => {
    const limits = makeRateLimits(true)
    const [body, answer] = [held(), held()]
    const calls = Array.from({ length: 1_201 }, (_, index) =>
      call(limits, `user ${index}`, () => answer.promise, body.promise),
    )
    body.release()
    await expect(Promise.race(calls)).rejects.toMatchObject(REFUSED)
    answer.release()
    const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(1)
  })

  it('keep no slot for a call that ended while it waited for one', async () => {
    const limits = makeRateLimits(true)
    const admitted = await Promise.all(Array.from({ length: 201 }, (_, index) => limits.admit(`user ${index}`)))
    const starts = admitted.map((admission) => admission.startWork())
    expect(limits.isFull()).toBe(true)
    for (const admission of admitted.toReversed()) admission.release()
    await Promise.all(starts)
    expect(limits.isFull()).toBe(false)
    const next = await Promise.all(Array.from({ length: 199 }, (_, index) => limits.admit(`user ${index}`)))
    await Promise.all(next.map((admission) => admission.startWork()))
    expect(limits.isFull()).toBe(false)
  })

  it('do not count the queued calls of a user as calls in progress', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const mine = Array.from({ length: 300 }, () => call(limits, 'alice', () => promise))
    await started()
    expect(limits.isFull()).toBe(false)
    expect(await call(limits, 'bob', () => Promise.resolve('by'))).toBe('by')
    release()
    await Promise.all(mine)
  })
})
