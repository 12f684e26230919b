import type { Schedule } from '../../test/simulation/schedule'
import { numberOption, parseCommandLine, type Command } from '../options'

export const SIMULATE = {
  usage: 'npm run simulate [-- OPTIONS]',
  does: 'Runs the payment code through crashes, lost answers and races on a simulated database and node.',
  options: {
    planted: { about: 'Run only the planted bugs, which prove that the simulation finds bugs.' },
    seed: { takes: 'NUMBER', about: 'Run with this seed. Default: the seed of npm test.' },
    schedules: { takes: 'NUMBER', about: 'How many random schedules to run with each seed.' },
    hours: {
      takes: 'NUMBER',
      about: 'Search with new seeds for this long, such as 0.5, up to the first find. The last seed is finished.',
    },
    repeat: { takes: 'SCHEDULE', about: 'Run this one schedule. A find prints the whole command.' },
  },
  notes: [
    'docs/simulation.md explains the output. Exit code 1: a failure, a find, or a planted bug that was not found.',
  ],
  examples: ['npm run simulate', 'npm run simulate -- --seed 42 --schedules 400', 'npm run simulate -- --hours 8'],
} as const satisfies Command

export interface SimulateArguments {
  readonly planted: boolean
  readonly seed: number | undefined
  readonly schedules: number | undefined
  readonly hours: number | undefined
  readonly repeat: Schedule | undefined
}

const ALONE = [
  ['repeat', ['planted', 'seed', 'schedules', 'hours']],
  ['hours', ['planted', 'seed']],
] as const

/** @throws Error that names the option that is wrong. */
export function readSimulateArguments(args: readonly string[]): SimulateArguments {
  const { values } = parseCommandLine(SIMULATE, args)
  for (const [option, others] of ALONE) {
    const other = others.find((name) => values[name] !== undefined)
    if (values[option] !== undefined && other !== undefined)
      throw new Error(`Give --${option} or --${other}, not both.`)
  }
  const number = (option: 'seed' | 'schedules', least: number): number | undefined =>
    values[option] === undefined ? undefined : numberOption(option, values[option], { least, whole: true })
  return {
    planted: values.planted === true,
    seed: number('seed', 0),
    schedules: number('schedules', 1),
    hours: values.hours === undefined ? undefined : numberOption('hours', values.hours, { least: 0.01 }),
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
