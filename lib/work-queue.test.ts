import { describe, expect, it } from 'vitest'
import { isBusy, makeWorkQueue } from './concurrency'

/** Work that ends when it is told to. */
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

describe('a work queue', () => {
  it('runs so many at once, the others in the order they came, and turns away who finds it full', async () => {
    const { started, ends, work } = steps()
    const queue = makeWorkQueue({ atOnce: 2, mostWaiting: 2 })
    const results = [1, 2, 3, 4].map((index) => queue.run(work(index)))
    const turnedAway = await queue.run(work(5)).catch((error: unknown) => error)
    expect(isBusy(turnedAway)).toBe(true)
    expect(started).toEqual([1, 2])
    ends[1]?.()
    await settled()
    expect(started).toEqual([1, 2, 3])
    ends[0]?.()
    await settled()
    expect(started).toEqual([1, 2, 3, 4])
    expect(queue.isIdle()).toBe(false)
    for (const end of ends) end()
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4])
    expect(queue.isIdle()).toBe(true)
  })

  it('gives the place on when work fails, and hands the failure to who asked for it', async () => {
    const queue = makeWorkQueue({ atOnce: 1, mostWaiting: 1 })
    const failure = queue.run(() => Promise.reject(new Error('of its own')))
    const next = queue.run(async () => 'done')
    await expect(failure).rejects.toThrow('of its own')
    expect(await next).toBe('done')
    expect(isBusy(await failure.catch((error: unknown) => error))).toBe(false)
    expect(queue.isIdle()).toBe(true)
  })
})
