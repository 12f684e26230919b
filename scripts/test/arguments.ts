import { existsSync, statSync } from 'node:fs'
import { numberOption, parseCommandLine, type Command } from '../options'
import { STAGES } from './stages'

const stageLines = STAGES.map(({ name, about, isDefault, needsRegistry }) => {
  return `${isDefault ? '*' : ' '} ${name.padEnd(17)} ${about}${needsRegistry ? ` (needs ${needsRegistry})` : ''}`
})

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
    ['Stages (* runs by default)', ...stageLines].join('\n'),
    'After npm ci, the other stages need no network, except to fetch a browser where none is installed.',
  ],
  examples: [
    'npm test',
    'npm test -- --only unit,types',
    'npm test -- lib/money/convert.test.ts',
    'npm test -- --repeat 20 lib/money/convert.test.ts',
  ],
} as const satisfies Command

export type TestArguments = ReturnType<typeof readTestArguments>

/** @throws Error that names the word that is wrong. */
export function readTestArguments(args: readonly string[]) {
  const { values, words } = parseCommandLine(TEST, args)
  const { all = false, 'no-skips': noSkips = false, repeat } = values
  const isStage = (word: string): boolean => STAGES.some(({ name }) => name === word)
  const only = [...new Set((values.only ?? []).flatMap((names) => names.split(',')).map((name) => name.trim()))]
  for (const name of only) if (!isStage(name)) throw new Error(`There is no stage '${name}'.`)
  const files = [...new Set(words.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, '')))]
  for (const file of files) {
    if (isStage(file)) throw new Error(`'${file}' is a stage: write --only ${file}.`)
    if (!existsSync(file)) throw new Error(`There is no file '${file}'.`)
    if (statSync(file).isDirectory())
      throw new Error(`'${file}' is a folder: name its test files. \`npm run unit -- ${file}\` runs its unit tests.`)
    if (!/\.test\.tsx?$|^e2e\/.*\.spec\.ts$/.test(file)) throw new Error(`'${file}' is not a test file.`)
  }
  const choices = [all && '--all', only.length > 0 && '--only', files.length > 0 && 'file names'].filter(Boolean)
  if (choices.length > 1) throw new Error(`Give ${choices.join(' or ')}, not both.`)
  if (repeat === undefined) return { all, noSkips, only, files }
  if (files.length === 0) throw new Error('--repeat needs the names of test files.')
  return { all, noSkips, only, files, repeat: numberOption('repeat', repeat, { least: 1, whole: true }) }
}
