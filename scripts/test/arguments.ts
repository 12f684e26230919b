import { numberOption, parseCommandLine, type Command } from '../options'
import { routeOf } from './routing'
import { STAGES } from './stages'

export const TEST = {
  usage: 'npm test [-- OPTIONS] [FILE …]',
  does: 'Runs the default stages, the stages of --only, or the given test files.',
  takesWords: true,
  options: {
    all: { about: 'Run every stage.' },
    only: { takes: 'NAME,NAME', repeatable: true, about: 'Run these stages. A build comes first where one is needed.' },
    'no-skips': { about: 'Fail when a test is skipped.' },
    repeat: { takes: 'COUNT', about: 'Run each FILE this often beside two busy loops, up to the first failure.' },
  },
  notes: [
    'FILE is any test file. Each file runs with its own runner; database tests run on both engines.',
    [
      'Stages (* runs by default)',
      ...STAGES.map(
        ({ name, about, isDefault, needsRegistry }) =>
          `${isDefault ? '*' : ' '} ${name.padEnd(17)} ${about}${needsRegistry === undefined ? '' : ` (needs ${needsRegistry})`}`,
      ),
    ].join('\n'),
    'After npm ci, the other stages need no network, except to fetch a browser where none is installed.',
  ],
  examples: [
    'npm test',
    'npm test -- --only unit,types',
    'npm test -- lib/money/convert.test.ts',
    'npm test -- --repeat 20 lib/money/convert.test.ts',
  ],
} as const satisfies Command

export interface TestArguments {
  readonly all: boolean
  readonly noSkips: boolean
  /** Names of stages; empty where none was chosen. */
  readonly only: readonly string[]
  readonly files: readonly string[]
  readonly repeat: number | undefined
}

/**
 * @param exists Whether a path names a file.
 * @throws Error that names the word that is wrong.
 */
export function readTestArguments(args: readonly string[], exists: (path: string) => boolean): TestArguments {
  const { values, words } = parseCommandLine(TEST, args)
  const { all = false, 'no-skips': noSkips = false } = values
  const only = [...new Set((values.only ?? []).flatMap((names) => names.split(',')).map((name) => name.trim()))]
  const unknown = only.find((name) => !STAGES.some((stage) => stage.name === name))
  if (unknown !== undefined) throw new Error(`There is no stage '${unknown}'.`)
  const files = [...new Set(words.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, '')))]
  for (const file of files) {
    if (STAGES.some(({ name }) => name === file)) throw new Error(`'${file}' is a stage: write --only ${file}.`)
    if (!exists(file)) throw new Error(`There is no file '${file}'.`)
    if (routeOf(file) === undefined) throw new Error(`'${file}' is not a test file.`)
  }
  const choices = [all && '--all', only.length > 0 && '--only', files.length > 0 && 'file names'].filter(Boolean)
  if (choices.length > 1) throw new Error(`Give ${choices.join(' or ')}, not both.`)
  if (values.repeat !== undefined && files.length === 0) throw new Error('--repeat needs the names of test files.')
  const repeat =
    values.repeat === undefined ? undefined : numberOption('repeat', values.repeat, { least: 1, whole: true })
  return { all, noSkips, only, files, repeat }
}
