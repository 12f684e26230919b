import { describe, expect, it } from 'vitest'
import { makeTurns } from './turns'

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('keep what comes late in an empty lane waiting for no more than one piece of a full one', async () => {
    const turns = makeTurns<string>({ atOnce: 1, maxQueued: 1_000 })
    const done: string[] = []
    for (let count = 0; count < 400; count++) turns.add('loud', () => void done.push('loud'))
    for (let count = 0; count < 10; count++) await later()
    const before = done.length
    turns.add('quiet', () => void done.push('quiet'))
    while (!done.includes('quiet')) await later()
    expect(done.indexOf('quiet') - before).toBeLessThanOrEqual(1)
  })

  it('carry out so many of a lane at once, and all of them in the end', async () => {
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

  it('refuse what is too much for a lane, ahead of what waits in it, and other lanes go on', async () => {
    const turns = makeTurns<string>({ atOnce: 1, maxQueued: 2 })
    const done: string[] = []
    const say = (word: string) => () => void done.push(word)
    const taken = ['a', 'b', 'c', 'd', 'e'].map((each) => turns.add('lane', say(each), say(`no ${each}`)))
    expect(taken).toEqual([true, true, true, true, false])
    expect(turns.add('other', say('x'), say('no x'))).toBe(true)
    await expect.poll(() => done.length).toBe(5)
    expect(done.filter((each) => each !== 'x')).toEqual(['no c', 'no d', 'a', 'b'])
  })

  it('remember no lane that has nothing to do', async () => {
    const turns = makeTurns<string>({ atOnce: 1, maxQueued: 2 })
    let done = false
    turns.add('lane', () => void (done = true))
    expect(turns.waitingOf('lane')).toBe(1)
    await expect.poll(() => done).toBe(true)
    expect(turns.waitingOf('lane')).toBe(0)
  })
})
