import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRateLimits, type RateLimits } from './rate-limits'

const allowed = async (count: number, take: () => void | Promise<void>): Promise<number> => {
  const results = await Promise.allSettled(Array.from({ length: count }, async () => take()))
  return results.filter(({ status }) => status === 'fulfilled').length
}

/** A call as the handler of the API makes it: admitted, its body received, then the work. */
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

/** Until what may begin has begun. */
const started = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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
    for (let second = 0; second < 10; second++) {
      vi.advanceTimersByTime(1_000)
      expect(await allowed(400, () => limits.takeRequest('a'))).toBe(50)
    }
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
    await started()
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
      await expect(limits.inTurn('person 7', () => promise)).rejects.toMatchObject(REFUSED)
      release()
      await Promise.all(waiting)
      expect(await limits.inTurn('person 7', () => Promise.resolve('by'))).toBe('by')
    },
  )

  it('let by whoever need not wait, however long the lines of a few others are', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const few = ['a', 'b', 'c', 'd']
    const inTurn = few.flatMap((name) => Array.from({ length: 250 }, () => limits.inTurn(name, () => promise)))
    const abroad = few.flatMap((name) => Array.from({ length: 103 }, () => limits.abroad(name, () => promise)))
    await expect(limits.abroad('a', () => promise)).rejects.toMatchObject({ status: 429 })
    expect(limits.isFull()).toBe(false)
    expect(await call(limits, 'bob', () => Promise.resolve('by'))).toBe('by')
    expect(await limits.abroad('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    await Promise.all([...inTurn, ...abroad])
  })

  it('let a person ask three other VASPs at once', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const asked = vi.fn(() => promise)
    const asks = Array.from({ length: 10 }, () => limits.abroad('a', asked))
    await started()
    expect(asked).toHaveBeenCalledTimes(3)
    release()
    await Promise.all(asks)
    expect(asked).toHaveBeenCalledTimes(10)
  })

  it('let nothing that waits for other VASPs keep a call waiting, and let it begin where nothing of its person has', async () => {
    const limits = makeRateLimits(true)
    const { promise, release } = held()
    const slow = Array.from({ length: 1_000 }, (_, index) => limits.abroad(`person ${index % 10}`, () => promise))
    await expect(limits.abroad('person 7', () => promise)).rejects.toMatchObject(REFUSED)
    expect(await call(limits, 'person 7', () => Promise.resolve('by'))).toBe('by')
    expect(await limits.abroad('bob', () => Promise.resolve('by'))).toBe('by')
    release()
    await Promise.all(slow)
  })

  it.each([true, false])('are 503 at once when 200 calls are at work (limits %s)', async (on) => {
    const limits = makeRateLimits(on)
    const { promise, release } = held()
    const calls = Array.from({ length: 199 }, (_, index) => call(limits, `person ${index % 40}`, () => promise))
    // What is not a call waits for others, and takes no call's place.
    const abroad = limits.abroad('abroad', () => promise)
    await started()
    expect(limits.isFull()).toBe(false)
    calls.push(call(limits, 'the last', () => promise))
    await started()
    expect(limits.isFull()).toBe(true)
    await expect(call(limits, 'another', () => promise)).rejects.toMatchObject(REFUSED)
    release()
    await Promise.all([...calls, abroad])
    expect(limits.isFull()).toBe(false)
    expect(await call(limits, 'another', () => Promise.resolve('by'))).toBe('by')
  })

  it('begin no more than 200 of the calls whose bodies come to their end together', async () => {
    const limits = makeRateLimits(true)
    const [body, answer] = [held(), held()]
    const work = vi.fn(() => answer.promise)
    const calls = Array.from({ length: 250 }, (_, index) => call(limits, `person ${index}`, work, body.promise))
    body.release()
    await expect.poll(() => work.mock.calls.length).toBe(200)
    expect(limits.isFull()).toBe(true)
    answer.release()
    await Promise.all(calls)
    expect(work).toHaveBeenCalledTimes(250)
  })

  it('are 503 when more than 1,000 calls wait to begin, also when their bodies came to their end together', async () => {
    const limits = makeRateLimits(true)
    const [body, answer] = [held(), held()]
    const calls = Array.from({ length: 1_201 }, (_, index) =>
      call(limits, `person ${index}`, () => answer.promise, body.promise),
    )
    body.release()
    await expect(Promise.race(calls)).rejects.toMatchObject(REFUSED)
    answer.release()
    const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(1)
  })

  it('keep no place for a call that ended while it waited for one', async () => {
    const limits = makeRateLimits(true)
    const admitted = await Promise.all(Array.from({ length: 201 }, (_, index) => limits.admit(`person ${index}`)))
    const starts = admitted.map((admission) => admission.startWork())
    expect(limits.isFull()).toBe(true)
    for (const admission of admitted.toReversed()) admission.release()
    await Promise.all(starts)
    expect(limits.isFull()).toBe(false)
    const next = await Promise.all(Array.from({ length: 199 }, (_, index) => limits.admit(`person ${index}`)))
    await Promise.all(next.map((admission) => admission.startWork()))
    expect(limits.isFull()).toBe(false)
  })

  it('do not count as work what waits in line for its own person', async () => {
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
