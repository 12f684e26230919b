import { describe, expect, it } from 'vitest'
import { repeating, type Schedule } from '@/test/simulation/schedule'
import { readSimulateArguments } from './arguments'
import { commandsIn, search, type SeedRun } from './search'

const SCHEDULE: Schedule = {
  operations: [{ operation: { kind: 'pay', who: 0, invoice: 0 }, on: 0 }],
  faults: [{ kind: 'crash after', at: 'late loss', nth: 1 }],
  fates: ['hangs, fails'],
  feeQuarters: 0,
  refuses: false,
  waitSeconds: 8,
  instances: 1,
  choices: [1, 5_039],
}

describe('the arguments of npm run simulate', () => {
  it('may be missing', () => {
    const none = { seed: undefined, schedules: undefined, hours: undefined, repeat: undefined }
    expect(readSimulateArguments([])).toEqual({ planted: false, ...none })
  })

  it('are numbers, and hours may be a fraction', () => {
    expect(readSimulateArguments(['--seed', '7', '--schedules=40'])).toMatchObject({ seed: 7, schedules: 40 })
    expect(readSimulateArguments(['--hours', '0.25', '--schedules=40'])).toMatchObject({ hours: 0.25, schedules: 40 })
  })

  it('repeat the schedule in the command that a find prints', () => {
    const [, text = ''] = /--repeat '(.*)'$/.exec(repeating(SCHEDULE)) ?? []
    expect(readSimulateArguments(['--repeat', text]).repeat).toEqual(SCHEDULE)
  })

  it.each([
    [['--hours', '0'], '--hours takes a number of at least 0.01.'],
    [['--hours', 'all night'], '--hours takes a number of at least 0.01.'],
    [['--seed', '1.5'], '--seed takes a whole number of at least 0.'],
    [['--hours', '1', '--seed', '5'], 'Give --hours or --seed, not both.'],
    [['--hours', '1', '--planted'], 'Give --hours or --planted, not both.'],
    [['--repeat', '{}', '--hours', '1'], 'Give --repeat or --hours, not both.'],
    [['--repeat', '{}'], '--repeat takes a schedule as a find prints it, in single quotes.'],
    [['--repeat', '7:0'], '--repeat takes a schedule as a find prints it, in single quotes.'],
    [['bogus'], "Unexpected argument 'bogus'."],
  ])('reject %j', (args, message) => {
    expect(() => readSimulateArguments(args)).toThrow(message)
  })
})

describe('a search with new seeds', () => {
  const WELL: SeedRun = { isWell: true, commands: [] }
  const TEN_MINUTES_MS = 600_000

  function searched(hours: number, runs: (seed: number) => SeedRun) {
    const [seeds, lines]: [number[], string[]] = [[], []]
    const runSeed = (seed: number): SeedRun => {
      seeds.push(seed)
      return runs(seed)
    }
    const nowMs = (): number => seeds.length * TEN_MINUTES_MS
    const code = search({ hours, firstSeed: 2 ** 31 - 2, nowMs, runSeed, say: (line) => void lines.push(line) })
    return { code, seeds, lines }
  }

  it('runs each seed once until the time is over, and says how far it is', () => {
    expect(searched(0.5, () => WELL)).toEqual({
      code: 0,
      seeds: [2 ** 31 - 2, 2 ** 31 - 1, 0],
      lines: [
        'Seed 2147483646: no failure (1 seed, 10.0 of 30 minutes).',
        'Seed 2147483647: no failure (2 seeds, 20.0 of 30 minutes).',
        'Seed 0: no failure (3 seeds, 30.0 of 30 minutes).',
      ],
    })
  })

  it('stops at the first find with the command that repeats it', () => {
    const failures = [`AssertionError: N9\n${repeating(SCHEDULE)}\nWhat happened:`, `${repeating(SCHEDULE)}\n`]
    const find = { isWell: false, commands: commandsIn(failures) }
    const { code, lines } = searched(8, (seed) => (seed === 2 ** 31 - 1 ? find : WELL))
    expect(code).toBe(1)
    expect(lines.slice(1)).toEqual([
      'Seed 2147483647: a failure (2 seeds, 20.0 of 480 minutes). Repeat it with:',
      repeating(SCHEDULE),
    ])
  })

  it('repeats the whole seed after a failure that names no command', () => {
    const { lines } = searched(8, () => ({ isWell: false, commands: commandsIn(['a timeout']) }))
    expect(lines.at(-1)).toBe('npm run simulate -- --seed 2147483646')
  })
})
