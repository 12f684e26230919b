import { describe, expect, it } from 'vitest'
import { makeRoundRobin } from './round-robin'

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the round-robin scheduler', () => {
  it('delays a task in an empty queue by at most one task of a full queue', async () => {
    const roundRobin = makeRoundRobin<string>({ maxConcurrent: 1, maxQueued: 1_000 })
    const done: string[] = []
    for (let count = 0; count < 400; count++) roundRobin.add('loud', () => void done.push('loud'))
    for (let count = 0; count < 10; count++) await later()
    const before = done.length
    roundRobin.add('quiet', () => void done.push('quiet'))
    while (!done.includes('quiet')) await later()
    expect(done.indexOf('quiet') - before).toBeLessThanOrEqual(1)
  })

  it('keeps no queue without tasks', async () => {
    const roundRobin = makeRoundRobin<string>({ maxConcurrent: 1, maxQueued: 2 })
    let done = false
    roundRobin.add('queue', () => void (done = true))
    expect(roundRobin.waitingOf('queue')).toBe(1)
    await expect.poll(() => done).toBe(true)
    expect(roundRobin.waitingOf('queue')).toBe(0)
  })
})
