import { parseArgs } from 'node:util'
import { LIMITS } from './http.ts'
import { FAIL_ON, type FailOn } from './verdict.ts'

export interface OptionText {
  /** What the option takes, such as `FILE`. A flag takes nothing. */
  readonly takes?: string
  readonly about: string
}

/** Every option of the command line, for `--help` and the documentation. */
export const OPTIONS = {
  vasp: { takes: 'ORIGIN', about: 'The VASP, such as http://localhost:4000.' },
  'sign-in': { takes: 'FILE', about: 'How to sign in: the fields of the sign-in forms, for one or two users (JSON).' },
  'sign-in-command': { takes: 'COMMAND', about: 'A program that signs in and prints the final redirect.' },
  'second-user': { about: 'The sign-in command can sign in a second user.' },
  interactive: { about: 'You sign in with a browser. The kit listens in place of the gateway.' },
  'jwt-public-key': { takes: 'FILE', about: "Public key of the VASP's tokens (ES256), PEM." },
  api: { takes: 'URL', about: 'Base address of the API (default: ORIGIN/umanwc/v1).' },
  login: { takes: 'URL', about: 'Login redirect (default: ORIGIN/connect).' },
  exchange: { takes: 'URL', about: 'Token exchange (default: API/token).' },
  gateway: { takes: 'URL', about: 'Public root of the gateway (default: from the discovery document).' },
  config: { takes: 'FILE', about: "Read these values from a public gateway's Python file." },
  payments: {
    about: 'Move at most 5,000 satoshis at a time to the second user. Ask for more than the balance.',
  },
  invoice: { takes: 'TEXT', about: 'The invoice that --payments pays, in place of one that the second user creates.' },
  slow: { about: 'Also run the cases that wait minutes, for the expiry of a quote.' },
  uma: { about: 'Also test UMA and LNURL receiving.' },
  'uma-listen': { takes: 'ORIGIN', about: "Serve the kit's UMA keys here for signed lookups. Implies --uma." },
  'test-signing-key': {
    takes: 'FILE',
    about: 'Token signing key of a test system, to forge tokens with a valid signature.',
  },
  'missing-key': { takes: 'KEY', about: 'verification or signing: you restarted the VASP without that key.' },
  'login-token': { takes: 'TOKEN', about: 'With --missing-key signing: a login token from before the restart.' },
  only: { takes: 'A,B', about: 'Run only these cases or areas, and the cases that they depend on.' },
  skip: { takes: 'A,B', about: 'Do not run these cases or areas.' },
  list: { about: 'Print the cases.' },
  explain: { takes: 'CASE', about: 'Print a case, with its paragraph of the specification.' },
  html: { takes: 'FILE', about: 'Write the report as one HTML file.' },
  junit: { takes: 'FILE', about: 'Write the report as JUnit XML.' },
  json: { takes: 'FILE', about: 'Write the report as JSON.' },
  'fail-on': {
    takes: 'LEVEL',
    about: 'must (default) or should: the lowest level whose failure ends with exit code 1.',
  },
  rate: { takes: 'NUMBER', about: 'Most requests in one second (default: no limit). A 429 is waited for in any case.' },
  timeout: { takes: 'SECONDS', about: 'Longest wait for one answer (default: 10).' },
} as const satisfies Readonly<Record<string, OptionText>>
type OptionName = keyof typeof OPTIONS
type MissingKey = 'verification' | 'signing'

export const EXIT_CODES =
  'Exit code: 0 when the VASP conforms, 1 when a must or gateway-compatibility case failed\n(with --fail-on should, also a should case), 2 when the kit could not run.'

/** The options as given; undefined where one is absent. Files are paths. */
export interface Arguments {
  readonly values: {
    readonly [Name in OptionName]?: (typeof OPTIONS)[Name] extends { takes: string } ? string : boolean
  }
  readonly missingKey: MissingKey | undefined
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly timeoutSeconds: number
  readonly failOn: FailOn
  readonly requestsPerSecond: number
}

export const USAGE = [
  'Usage: uma-auth-conformance --vasp ORIGIN --sign-in FILE [OPTIONS]',
  'Tests a running VASP against the UMA Auth specification, from the outside. It moves no money without --payments.',
  Object.entries<OptionText>(OPTIONS)
    .map(([name, { takes, about }]) => `  ${`--${name}${takes === undefined ? '' : ` ${takes}`}`.padEnd(28)}${about}`)
    .join('\n'),
  EXIT_CODES,
].join('\n\n')

/** @throws Error with one line that names the wrong option. */
export function readArguments(args: readonly string[]): Arguments | 'help' {
  const parsed = parse([...args])
  if (parsed.help === true) return 'help'
  const values = parsed as Arguments['values']
  const timeoutSeconds = numberOf('--timeout', values.timeout ?? '10', 300)
  const requestsPerSecond = numberOf('--rate', values.rate ?? String(LIMITS.requestsPerSecond), 1_000)
  const failOn = FAIL_ON.find((level) => level === (values['fail-on'] ?? 'must'))
  if (failOn === undefined) throw new Error('--fail-on takes must or should.')
  if (values['missing-key'] !== undefined && !isKey(values['missing-key']))
    throw new Error('--missing-key takes verification or signing.')
  const ways = [values['sign-in'], values['sign-in-command'], values.interactive].filter(Boolean)
  if (ways.length > 1) throw new Error('--sign-in, --sign-in-command and --interactive exclude each other.')
  const missingKey = isKey(values['missing-key']) ? values['missing-key'] : undefined
  return {
    values,
    missingKey,
    only: listOf(values.only),
    skip: listOf(values.skip),
    timeoutSeconds,
    failOn,
    requestsPerSecond,
  }
}

function parse(args: string[]): Record<string, unknown> {
  const options = Object.fromEntries(
    Object.entries<OptionText>(OPTIONS).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    return parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\. |\n/, 1)
    throw new Error(`${sentence}. --help lists the options.`, { cause: error })
  }
}

function numberOf(flag: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${flag} is a whole number from 1 to ${most}.`)
  return value
}

function isKey(text: string | undefined): text is MissingKey {
  return text === 'verification' || text === 'signing'
}

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((name) => name !== '')
}
