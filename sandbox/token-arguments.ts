import { parseArgs } from 'node:util'
import { COMMANDS, commandNamed } from 'uma-auth-vasp'
import { firstSentence } from './demo-arguments'

export interface TokenArguments {
  readonly username: string
  readonly permissions: readonly string[]
  /** The token's `exp`, in seconds since 1970; undefined: it has no end. */
  readonly expiresAtSeconds: number | undefined
  /** Undefined: the printed one. */
  readonly password: string | undefined
}

export const TOKEN_USAGE = `Usage: npm run --silent token -- NAME [--permissions A,B] [--expiration SECONDS] [--password PASSWORD]

  --permissions  commands separated by commas; get_info,get_budget when left out
  --expiration   how long the token lives, in seconds; no end when left out
  --password     of NAME; the printed one when left out`

/** Nothing lives this long in seconds, and as seconds since 1970 it is long past: what is larger is meant as a date. */
const FIRST_DATE = 1_000_000_000

/** @throws Error with one line and the usage. */
export function readTokenArguments(args: readonly string[], nowSeconds: number): TokenArguments | 'help' {
  const { values, positionals } = parse([...args])
  if (values.help === true) return 'help'
  const [username, ...more] = positionals
  if (username === undefined || more.length > 0) throw wrong('Name one person, such as alice.')
  const permissions = values.permissions
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (permissions.length === 0) throw wrong('--permissions needs at least one command, such as get_budget.')
  const unknown = permissions.filter((name) => commandNamed(name) === undefined)
  if (unknown.length > 0)
    throw wrong(`--permissions: there is no command ${unknown.join(' or ')}. There are ${spellings().join(', ')}.`)
  return {
    username,
    permissions,
    expiresAtSeconds: readExpiration(values.expiration, nowSeconds),
    password: values.password,
  }
}

/** As the exchange takes them, which passes over a name that it does not know. */
function spellings(): string[] {
  return COMMANDS.map(({ name, aliases }) => [name, ...aliases].join(' or '))
}

function parse(args: string[]) {
  const options = {
    permissions: { type: 'string', default: 'get_info,get_budget' },
    expiration: { type: 'string' },
    password: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw wrong(firstSentence(error), error)
  }
}

/** A length of life, or seconds since 1970 as the exchange itself takes them. */
function readExpiration(raw: string | undefined, nowSeconds: number): number | undefined {
  if (raw === undefined) return undefined
  const seconds = /^[1-9]\d{0,10}$/.test(raw) ? Number(raw) : undefined
  if (seconds === undefined || (seconds >= FIRST_DATE && seconds <= nowSeconds))
    throw wrong('--expiration is a whole number of seconds, such as 3600 for an hour.')
  return seconds < FIRST_DATE ? nowSeconds + seconds : seconds
}

function wrong(line: string, cause?: unknown): Error {
  return new Error(`${line}\n\n${TOKEN_USAGE}`, { cause })
}
