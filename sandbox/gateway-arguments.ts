import { parseArgs } from 'node:util'
import { firstSentence } from './demo-arguments'

/** As given; undefined where a flag is absent. */
export interface GatewayArguments {
  readonly vasp: string | undefined
  readonly api: string | undefined
  readonly login: string | undefined
  readonly exchange: string | undefined
  /** Paths of files. */
  readonly jwtPublicKey: string | undefined
  readonly config: string | undefined
}

export const GATEWAY_USAGE = `Usage: npm run gateway -- --vasp ORIGIN [OPTIONS]

Starts the gateway stand-in, a relay and the demo shop in front of a running VASP.

  --vasp ORIGIN          the VASP, such as http://localhost:3000
  --jwt-public-key FILE  PEM file with the public key of its tokens (ES256)
  --api URL              base address of its API (default: ORIGIN/umanwc/v1)
  --login URL            its login redirect (default: ORIGIN/connect)
  --exchange URL         its token exchange (default: API/token)
  --config FILE          reads these values from a file of npm run gateway:config
  --help                 prints this text

A flag overrides the file, and the file overrides the VASP's discovery document. The stand-in listens at the gateway root
URL of that document. RELAY_PORT and APP_PORT set the ports of the relay and the shop, and DATA_DIR the folder of their data.`

/** @throws Error with one line and the usage. */
export function readGatewayArguments(args: readonly string[]): GatewayArguments | 'help' {
  const { help, 'jwt-public-key': jwtPublicKey, vasp, api, login, exchange, config } = parse([...args])
  return help === true ? 'help' : { vasp, api, login, exchange, jwtPublicKey, config }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const options = {
    vasp: text,
    api: text,
    login: text,
    exchange: text,
    'jwt-public-key': text,
    config: text,
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Error(`${firstSentence(error)}\n\n${GATEWAY_USAGE}`, { cause: error })
  }
}
