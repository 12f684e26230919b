import { parseArgs } from 'node:util'
import { routeOf } from './routing'
import { STAGES } from './stages'

export const USAGE = [
  'npm test                      the default stages',
  'npm test -- --all             every stage',
  'npm test -- --only NAME,NAME  these stages alone; a build comes first where one is needed',
  'npm test -- FILE …            these test files, each by its own runner, on both database engines',
  '',
  '--no-skips                    fail when a test is skipped',
  '--help                        show this text',
  '',
  'Stages (* runs by default):',
  ...STAGES.map(({ name, about, isDefault }) => `${isDefault ? '*' : ' '} ${name.padEnd(16)} ${about}`),
].join('\n')

export interface TestArguments {
  readonly help: boolean
  readonly all: boolean
  readonly noSkips: boolean
  /** Names of stages; empty where none was chosen. */
  readonly only: readonly string[]
  readonly files: readonly string[]
}

/**
 * @param exists Whether a path names a file.
 * @throws Error that names the word that is wrong.
 */
export function readTestArguments(args: readonly string[], exists: (path: string) => boolean): TestArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      all: { type: 'boolean', default: false },
      'no-skips': { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  })
  const only = [...new Set(values.only.flatMap((names) => names.split(',')).map((name) => name.trim()))]
  const unknown = only.find((name) => !STAGES.some((stage) => stage.name === name))
  if (unknown !== undefined) throw new Error(`There is no stage '${unknown}'.`)
  const files = [...new Set(positionals.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, '')))]
  for (const file of files) {
    if (STAGES.some(({ name }) => name === file)) throw new Error(`'${file}' is a stage: write --only ${file}.`)
    if (!exists(file)) throw new Error(`There is no file '${file}'.`)
    if (routeOf(file) === undefined) throw new Error(`'${file}' is not a test file.`)
  }
  const choices = [values.all && '--all', only.length > 0 && '--only', files.length > 0 && 'file names'].filter(Boolean)
  if (choices.length > 1) throw new Error(`Give ${choices.join(' or ')}, not both.`)
  return { help: values.help, all: values.all, noSkips: values['no-skips'], only, files }
}
