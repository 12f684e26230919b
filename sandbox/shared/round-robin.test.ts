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

  it('runs a limited number of tasks of a queue at the same time, and all of them in the end', async () => {
    const roundRobin = makeRoundRobin<string>({ maxConcurrent: 3, maxQueued: 100 })
    let [running, most, done] = [0, 0, 0]
    for (let count = 0; count < 20; count++)
      roundRobin.add('queue', async () => {
        most = Math.max(most, ++running)
        // Longer than it takes to start three tasks, one in each turn of the event loop.
        for (let turn = 0; turn < 10; turn++) await later()
        running--
        done++
      })
    await expect.poll(() => done).toBe(20)
    expect(most).toBe(3)
  })

  it('refuses tasks beyond the limit of a queue before it runs the queued ones, and other queues continue', async () => {
    const roundRobin = makeRoundRobin<string>({ maxConcurrent: 1, maxQueued: 2 })
    const done: string[] = []
    const say = (word: string) => () => void done.push(word)
    const taken = ['a', 'b', 'c', 'd', 'e'].map((each) => roundRobin.add('queue', say(each), say(`no ${each}`)))
    expect(taken).toEqual([true, true, true, true, false])
    expect(roundRobin.add('other', say('x'), say('no x'))).toBe(true)
    await expect.poll(() => done.length).toBe(5)
    expect(done.filter((each) => each !== 'x')).toEqual(['no c', 'no d', 'a', 'b'])
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
