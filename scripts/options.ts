import { parseArgs } from 'node:util'

/** One option of a command. Without `takes` it is a flag. */
export interface Option {
  /** What the option takes, as the help text names it, such as `FILE`. */
  readonly takes?: string
  readonly about: string
  readonly repeatable?: true
}

/** A command as `--help` and docs/commands.md describe it. */
export interface Command {
  readonly usage: string
  /** One sentence. */
  readonly does: string
  readonly options: Readonly<Record<string, Option>>
  /** Whether the command takes arguments besides options. */
  readonly takesWords?: true
  /** Paragraphs after the options: exit codes, environment variables. */
  readonly notes?: readonly string[]
  readonly examples: readonly string[]
}

type ValueOf<Given extends Option> = Given extends { takes: string }
  ? Given extends { repeatable: true }
    ? readonly string[]
    : string
  : boolean

export interface CommandLine<Described extends Command> {
  readonly values: { readonly [Name in keyof Described['options']]?: ValueOf<Described['options'][Name]> }
  readonly words: readonly string[]
}

/**
 * Reads the command line of this process. `--help` prints the help text and exits with code 0. A wrong argument prints
 * one line and exits with code 2.
 */
export function readOptions<Options>(command: Command, read: (args: readonly string[]) => Options): Options {
  const args = process.argv.slice(2)
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(helpOf(command))
    process.exit(0)
  }
  try {
    return read(args)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)} ${helpHint(command)}`)
    process.exit(2)
  }
}

/** @throws Error with one line that names the wrong argument. */
export function parseCommandLine<const Described extends Command>(
  command: Described,
  args: readonly string[],
): CommandLine<Described> {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { takes, repeatable }]) => [
      name,
      { type: takes === undefined ? 'boolean' : 'string', multiple: repeatable === true } as const,
    ]),
  )
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: command.takesWords === true,
    })
    return { values: values as CommandLine<Described>['values'], words: positionals }
  } catch (error) {
    throw new Error(firstSentence(error), { cause: error })
  }
}

/** The text of `--help`. */
export function helpOf({ usage, does, options, notes = [], examples }: Command): string {
  const rows = [
    ...Object.entries(options).map(([name, { takes, about }]) => [
      `--${name}${takes === undefined ? '' : ` ${takes}`}`,
      about,
    ]),
    ['--help', 'Show this text.'],
  ] as const
  const width = Math.max(...rows.map(([option]) => option.length))
  return [
    `Usage: ${usage}`,
    does,
    ['Options', ...rows.map(([option, about]) => `  ${option.padEnd(width)}  ${about}`)].join('\n'),
    ...notes,
    ['Examples', ...examples.map((example) => `  ${example}`)].join('\n'),
  ].join('\n\n')
}

function helpHint({ usage }: Command): string {
  const [name = usage] = usage.replace(' --silent', '').split(/ \[?-- /)
  return `For help, run: ${name} -- --help`
}

/** The first sentence of Node's message. The rest explains parseArgs to programmers. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${(message.split(/\. |\n/, 1)[0] ?? message).replace(/\.$/, '')}.`
}

/** @throws Error that names the option when its text is not a valid number. */
export function numberOption(
  option: string,
  text: string,
  { least, whole = false }: { readonly least: number; readonly whole?: boolean },
): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && (!whole || Number.isSafeInteger(number))) return number
  throw new Error(`--${option} takes a ${whole ? 'whole ' : ''}number of at least ${least}.`)
}

/** @throws Error that names the option and what it takes. */
export function oneOf<Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const chosen = choices.find((choice) => choice === text)
  if (text === undefined || chosen !== undefined) return chosen
  throw new Error(`--${option} takes ${choices.join(' or ')}.`)
}
