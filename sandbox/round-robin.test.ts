import { describe, expect, it } from 'vitest'
import { makeTurns } from './round-robin'

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('delay a late request in an empty lane by at most one task of a full lane', async () => {
    const turns = makeTurns<string>({ atOnce: 1, maxQueued: 1_000 })
    const done: string[] = []
    for (let count = 0; count < 400; count++) turns.add('loud', () => void done.push('loud'))
    for (let count = 0; count < 10; count++) await later()
    const before = done.length
    turns.add('quiet', () => void done.push('quiet'))
    while (!done.includes('quiet')) await later()
    expect(done.indexOf('quiet') - before).toBeLessThanOrEqual(1)
  })

  it('run a limited number of tasks of a lane at once, and all of them eventually', async () => {
    const turns = makeTurns<string>({ atOnce: 3, maxQueued: 100 })
    let [running, most, done] = [0, 0, 0]
    for (let count = 0; count < 20; count++)
      turns.add('lane', async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 10))
        running--
        done++
      })
    await expect.poll(() => done).toBe(20)
    expect(most).toBe(3)
  })

  it('reject tasks beyond the queue of a lane, before its queued tasks, and other lanes continue', async () => {
    const turns = makeTurns<string>({ atOnce: 1, maxQueued: 2 })
    const done: string[] = []
    const say = (word: string) => () => void done.push(word)
    const taken = ['a', 'b', 'c', 'd', 'e'].map((each) => turns.add('lane', say(each), say(`no ${each}`)))
    expect(taken).toEqual([true, true, true, true, false])
    expect(turns.add('other', say('x'), say('no x'))).toBe(true)
    await expect.poll(() => done.length).toBe(5)
    expect(done.filter((each) => each !== 'x')).toEqual(['no c', 'no d', 'a', 'b'])
  })

  it('keep no lane without tasks', async () => {
    const turns = makeTurns<string>({ atOnce: 1, maxQueued: 2 })
    let done = false
    turns.add('lane', () => void (done = true))
    expect(turns.waitingOf('lane')).toBe(1)
    await expect.poll(() => done).toBe(true)
    expect(turns.waitingOf('lane')).toBe(0)
  })
})
