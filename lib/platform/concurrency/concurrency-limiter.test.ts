import { describe, expect, it } from 'vitest'
import { isBusy, makeConcurrencyLimiter } from './concurrency-limiter'

/** Tasks that end when the test ends them. */
function steps() {
  const started: number[] = []
  const ends: (() => void)[] = []
  const work = (index: number) => async (): Promise<number> => {
    started.push(index)
    await new Promise<void>((resolve) => ends.push(resolve))
    return index
  }
  return { started, ends, work }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a concurrency limiter', () => {
  it('runs up to maxConcurrent tasks, queues maxQueued in order, and rejects further tasks', async () => {
    const { started, ends, work } = steps()
    const limiter = makeConcurrencyLimiter({ maxConcurrent: 2, maxQueued: 2 })
    const results = [1, 2, 3, 4].map((index) => limiter.run(work(index)))
    const rejected = await limiter.run(work(5)).catch((error: unknown) => error)
    expect(isBusy(rejected)).toBe(true)
    expect(started).toEqual([1, 2])
    ends[1]?.()
    await settled()
    expect(started).toEqual([1, 2, 3])
    ends[0]?.()
    await settled()
    expect(started).toEqual([1, 2, 3, 4])
    expect(limiter.isIdle()).toBe(false)
    for (const end of ends) end()
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4])
    expect(limiter.isIdle()).toBe(true)
  })

  it('frees the slot of a failed task and rejects with that task’s error', async () => {
    const limiter = makeConcurrencyLimiter({ maxConcurrent: 1, maxQueued: 1 })
    const failure = limiter.run(() => Promise.reject(new Error('of its own')))
    const next = limiter.run(async () => 'done')
    await expect(failure).rejects.toThrow('of its own')
    expect(await next).toBe('done')
    expect(isBusy(await failure.catch((error: unknown) => error))).toBe(false)
    expect(limiter.isIdle()).toBe(true)
  })
})
