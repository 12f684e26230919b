import { commandNamed, COMMANDS } from 'uma-auth-vasp'
import { parseCommandLine, type Command } from './options'

export const TOKEN = {
  usage: 'npm run --silent token -- NAME [OPTIONS]',
  does: 'Prints a long-lived access token for a new connection to the wallet of the user NAME.',
  takesWords: true,
  options: {
    permissions: { takes: 'A,B', about: 'Commands that the token allows. Default: get_info,get_budget.' },
    expiration: { takes: 'SECONDS', about: 'How long the token is valid. Default: until it is revoked.' },
    'password-stdin': { about: "Read the user's password from standard input. Default: the sandbox's password." },
  },
  notes: ['The server must be running. PORT, DATA_DIR and VASP_NAME select it, as for npm run demo.'],
  examples: [
    'npm run --silent token -- alice --permissions get_info,get_balance',
    'DATA_DIR=.data/southbank PORT=3001 GATEWAY_PORT=8081 npm run --silent token -- bob',
    'npm run --silent token -- carol --password-stdin < FILE',
  ],
} as const satisfies Command

/** No token lives for this many seconds, and as seconds since 1970 it is long past. A larger number is a date. */
const FIRST_DATE = 1_000_000_000

export type TokenArguments = ReturnType<typeof readTokenArguments>

/** @throws Error with one line. */
export function readTokenArguments(args: readonly string[], nowSeconds: number) {
  if (args.some((arg) => arg === '--password' || arg.startsWith('--password=')))
    throw new Error(
      'There is no option --password, because other users of the machine can see it. Give --password-stdin, and send the password on standard input.',
    )
  const { values, words } = parseCommandLine(TOKEN, args)
  const [username, ...more] = words
  if (username === undefined || more.length > 0) throw new Error('Name one user, such as alice.')
  const permissions = (values.permissions ?? 'get_info,get_budget')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (permissions.length === 0) throw new Error('--permissions needs at least one command, such as get_budget.')
  const unknown = permissions.filter((name) => commandNamed(name) === undefined)
  if (unknown.length > 0)
    throw new Error(`--permissions: there is no command ${unknown.join(' or ')}. There are ${spellings().join(', ')}.`)
  return {
    username,
    permissions,
    /** The token's `exp`, in seconds since 1970; undefined for no expiry. */
    expiresAtSeconds: readExpiration(values.expiration, nowSeconds),
    /** Whether the user's password is on standard input. Otherwise it is the printed one. */
    readsPassword: values['password-stdin'] === true,
  }
}

/** Rejects unknown names, which the exchange would ignore. */
function spellings(): string[] {
  return COMMANDS.map(({ name, aliases }) => [name, ...aliases].join(' or '))
}

/** A lifetime, or seconds since 1970 as in the exchange. */
function readExpiration(raw: string | undefined, nowSeconds: number): number | undefined {
  if (raw === undefined) return undefined
  const seconds = /^[1-9]\d{0,10}$/.test(raw) ? Number(raw) : undefined
  if (seconds === undefined || (seconds >= FIRST_DATE && seconds <= nowSeconds))
    throw new Error('--expiration is a whole number of seconds, such as 3600 for an hour.')
  return seconds < FIRST_DATE ? nowSeconds + seconds : seconds
}
