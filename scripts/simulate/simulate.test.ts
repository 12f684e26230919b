import { describe, expect, it } from 'vitest'
import { repeating, type Schedule } from '@/test/simulation/schedule'
import { readSimulateArguments } from './arguments'

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
    const none = { seed: undefined, schedules: undefined, repeat: undefined }
    expect(readSimulateArguments([])).toEqual({ planted: false, ...none })
  })

  it('are whole numbers', () => {
    expect(readSimulateArguments(['--seed', '7', '--schedules=40'])).toMatchObject({ seed: 7, schedules: 40 })
  })

  it('repeat the schedule in the command that a find prints', () => {
    const [, text = ''] = /--repeat '(.*)'$/.exec(repeating(SCHEDULE)) ?? []
    expect(readSimulateArguments(['--repeat', text]).repeat).toEqual(SCHEDULE)
  })

  it.each([
    [['--seed', '1.5'], '--seed takes a whole number of at least 0.'],
    [['--repeat', '{}', '--schedules', '1'], 'Give --repeat or --schedules, not both.'],
    [['--repeat', '{}'], '--repeat takes a schedule as a find prints it, in single quotes.'],
    [['--repeat', '7:0'], '--repeat takes a schedule as a find prints it, in single quotes.'],
    [['bogus'], "Unexpected argument 'bogus'."],
  ])('reject %j', (args, message) => {
    expect(() => readSimulateArguments(args)).toThrow(message)
  })
})
