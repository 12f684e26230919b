import type { Schedule } from '../../test/simulation/schedule'
import { numberOption, parseCommandLine, type Command } from '../options'

export const SIMULATE = {
  usage: 'npm run simulate [-- OPTIONS]',
  does: 'Runs the payment code through crashes, lost answers and races on a simulated database and node.',
  options: {
    planted: { about: 'Run only the planted bugs, which prove that the simulation finds bugs.' },
    seed: { takes: 'NUMBER', about: 'Run with this seed. Default: the seed of npm test.' },
    schedules: { takes: 'NUMBER', about: 'How many random schedules to run with each seed.' },
    repeat: { takes: 'SCHEDULE', about: 'Run this one schedule. A find prints the whole command.' },
  },
  notes: [
    'docs/simulation.md explains the output. Exit code 1: a failure, a find, or a planted bug that was not found.',
  ],
  examples: ['npm run simulate', 'npm run simulate -- --seed 42 --schedules 400'],
} as const satisfies Command

/** @throws Error that names the option that is wrong. */
export function readSimulateArguments(args: readonly string[]) {
  const { values } = parseCommandLine(SIMULATE, args)
  const other = (['planted', 'seed', 'schedules'] as const).find((name) => values[name] !== undefined)
  if (values.repeat !== undefined && other !== undefined) throw new Error(`Give --repeat or --${other}, not both.`)
  const number = (option: 'seed' | 'schedules', least: number): number | undefined =>
    values[option] === undefined ? undefined : numberOption(option, values[option], { least, whole: true })
  return {
    planted: values.planted === true,
    seed: number('seed', 0),
    schedules: number('schedules', 1),
    repeat: values.repeat === undefined ? undefined : scheduleOf(values.repeat),
  }
}

/** Checked only for its outline: a find prints it. */
function scheduleOf(text: string): Schedule {
  try {
    const { operations, faults, fates, choices } = JSON.parse(text) as Schedule
    if ([operations, faults, fates, choices].every(Array.isArray)) return JSON.parse(text) as Schedule
  } catch {
    // Not JSON, or no object.
  }
  throw new Error('--repeat takes a schedule as a find prints it, in single quotes.')
}
