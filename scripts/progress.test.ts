import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Activity } from './process-table.mjs'
import { createWatch, runWork } from './progress.mjs'

const LOOK_MS = 10_000

/** A watch on a process that does `work` between two looks, ten seconds apart. */
function watchOn(work: Partial<Activity>) {
  let now = 0
  const did = { cpuMs: 0, bytes: 0, suspended: work.suspended ?? false }
  const watch = createWatch({
    nowMs: () => now,
    activityOf: () => {
      did.cpuMs += work.cpuMs ?? 0
      did.bytes += work.bytes ?? 0
      return { ...did }
    },
  })
  const look = (sign = 'step', ms = LOOK_MS): boolean => {
    now += ms
    return watch.standsStill({ pid: 1, sign })
  }
  /** How many looks it takes until the process is given up. */
  const looksUntilStill = (most = 10_000): number | undefined => {
    for (let looks = 1; looks <= most; looks++) if (look()) return looks
    return undefined
  }
  return { watch, look, looksUntilStill }
}

describe('a process', () => {
  it('that gets three percent of a processor never stands still', () => {
    expect(watchOn({ cpuMs: (LOOK_MS * 3) / 100 }).looksUntilStill()).toBeUndefined()
  })

  it('that waits for a slow disk or network never stands still while bytes arrive', () => {
    expect(watchOn({ bytes: 10_000 * (LOOK_MS / 1_000) }).looksUntilStill()).toBeUndefined()
  })

  it('that does nothing stands still after two minutes', () => {
    const { watch, looksUntilStill } = watchOn({})
    // The first look only sets the start.
    expect(looksUntilStill()).toBe(13)
    expect(watch.describe()).toBe('no sign of work for 120 s')
  })

  it('that only looks at a lock again and again stands still', () => {
    // Four polls a second, each of 0.2 ms and 200 bytes.
    expect(watchOn({ cpuMs: 8, bytes: 8_000 }).looksUntilStill()).toBe(13)
  })

  it('that only runs the timers of an idle server stands still', () => {
    // Measured on a ready VASP without calls: 1.5 s and 350 kB in two minutes.
    expect(watchOn({ cpuMs: 1_500 / 12, bytes: 350_000 / 12 }).looksUntilStill()).toBe(13)
  })

  it('that is suspended is described so', () => {
    const { watch, looksUntilStill } = watchOn({ suspended: true })
    looksUntilStill()
    expect(watch.describe()).toBe('no sign of work for 120 s: it is suspended (SIGSTOP or Ctrl-Z)')
  })

  it('has two more minutes after each new step', () => {
    const { look, looksUntilStill } = watchOn({})
    looksUntilStill(12)
    expect(look('next step')).toBe(false)
    expect(looksUntilStill()).toBe(13)
  })

  it('is not given up for the time in which the machine slept or its observer was suspended', () => {
    const { look } = watchOn({})
    look()
    for (let hours = 0; hours < 11; hours++) expect(look('step', 3_600_000)).toBe(false)
  })
})

describe('a long command', () => {
  afterEach(() => void vi.useRealTimers())

  /** Runs a line of JavaScript until it sends a message, with a clock that the test moves. */
  async function run(script: string) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const said: string[] = []
    let child: ChildProcess | undefined
    let up: Promise<unknown> = Promise.resolve()
    const ended = runWork({
      what: 'Building',
      command: process.execPath,
      args: ['--eval', `process.send('up'); ${script}`],
      env: process.env,
      output: 'pipe',
      say: (line) => said.push(line),
      onStart: (started) => {
        child = started
        up = once(started, 'message')
      },
    })
    await up
    return { child, ended, said }
  }

  const FOR_EVER = 'setInterval(() => {}, 1_000)'

  it('says every ten seconds how long it has taken so far', async () => {
    const { child, ended, said } = await run(FOR_EVER)
    vi.advanceTimersByTime(31_000)
    expect(said).toEqual(['Building, 10 s so far', 'Building, 20 s so far', 'Building, 30 s so far'])
    child?.kill('SIGINT')
    expect(await ended).toMatchObject({ status: null, signal: 'SIGINT', still: undefined })
  })

  it('that stands still is killed, and the reason returned', async () => {
    const { ended, said } = await run(FOR_EVER)
    vi.advanceTimersByTime(130_000)
    expect(await ended).toMatchObject({ signal: 'SIGKILL', still: 'no sign of work for 120 s' })
    expect(said.at(-1)).toBe('Building, 130 s so far')
  })

  it('returns its exit code and its output', async () => {
    const { ended } = await run(`console.log('out'); console.error('err'); process.exitCode = 3`)
    expect(await ended).toMatchObject({ status: 3, signal: null, still: undefined, output: 'out\nerr\n' })
  })
})
