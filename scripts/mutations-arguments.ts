import { MUTATIONS } from '../test/mutations'
import { numberOption, parseCommandLine, type Command } from './options'

export const MUTATE = {
  usage: 'npm run mutations [-- OPTIONS] [NUMBER …]',
  does: 'Plants faults in a copy of the code, one at a time, and fails when the tests of a fault stay green.',
  takesWords: true,
  options: { sample: { takes: 'COUNT', about: 'Plant this many faults, chosen by the hash of the commit.' } },
  notes: [
    'NUMBER is a fault of test/mutations. Without one, all faults are planted, which takes about half an hour on a quiet\nmachine; an interrupted run goes on where it stopped, as long as no file has changed.',
    'Exit code 1: a fault was not found, or its text is no longer in the code.',
  ],
  examples: ['npm run mutations', 'npm run mutations -- 17', 'npm run mutations -- --sample 5'],
} as const satisfies Command

/** @throws Error with one line. */
export function readMutationsArguments(args: readonly string[]) {
  const { values, words } = parseCommandLine(MUTATE, args)
  const sample =
    values.sample === undefined ? undefined : numberOption('sample', values.sample, { least: 1, whole: true })
  const unknown = words.find((word) => !MUTATIONS.some(({ number }) => String(number) === word))
  if (unknown !== undefined) throw new Error(`There is no mutation '${unknown}'.`)
  if (sample !== undefined && words.length > 0) throw new Error('Give --sample or numbers, not both.')
  return { sample, numbers: words.map(Number) }
}
