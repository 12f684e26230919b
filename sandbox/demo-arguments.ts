import { parseArgs } from 'node:util'

export interface DemoArguments {
  readonly help: boolean
  readonly gateway: boolean
  readonly southbank: boolean
  readonly reset: 'data' | 'keys' | undefined
}

export const DEMO_USAGE = `Usage: npm run demo [-- OPTIONS]

  --no-gateway   leave the gateway's address to a gateway of your own
  --no-southbank start one VASP only
  --reset        erase the data first and keep the keys
  --reset=keys   erase the data and renew the keys
  --help         this text

The environment moves things: PORT, GATEWAY_PORT, RELAY_PORT, APP_PORT, DATA_DIR, VASP_NAME; README.md lists the rest.
Southbank takes the ports after the VASP's and its gateway's, or SOUTHBANK_PORT and SOUTHBANK_GATEWAY_PORT.
A second demo beside the first:
  DATA_DIR=.data/second PORT=3300 GATEWAY_PORT=8380 RELAY_PORT=7747 APP_PORT=3500 npm run demo`

/** @throws Error with one line and the usage. */
export function readDemoArguments(args: readonly string[]): DemoArguments {
  // `--reset` alone means `--reset=data`.
  const given = args.map((arg) => (arg === '--reset' ? '--reset=data' : arg))
  const { help, reset, 'no-gateway': noGateway, 'no-southbank': noSouthbank } = parse(given)
  if (reset !== undefined && reset !== 'data' && reset !== 'keys')
    throw new Error('--reset erases data and keeps keys; --reset=keys renews them too.')
  return { help: help === true, gateway: noGateway !== true, southbank: noSouthbank !== true, reset }
}

function parse(args: string[]): {
  help?: boolean
  reset?: string
  'no-gateway'?: boolean
  'no-southbank'?: boolean
} {
  const options = {
    help: { type: 'boolean', short: 'h' },
    reset: { type: 'string' },
    'no-gateway': { type: 'boolean' },
    'no-southbank': { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Error(`${firstSentence(error)}\n\n${DEMO_USAGE}`, { cause: error })
  }
}

/** Of node's own message; the rest of it explains parseArgs to programmers. */
export function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${message.split(/[.\n]/, 1)[0] ?? message}.`
}
