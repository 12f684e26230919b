import { parseCommandLine, type Command } from '../../scripts/options'

export const GATEWAY = {
  usage: 'npm run gateway -- --vasp ORIGIN [OPTIONS]',
  does: 'Starts the gateway simulator, a relay and the demo shop in front of a running VASP.',
  options: {
    vasp: { takes: 'ORIGIN', about: 'The VASP, such as http://localhost:3000.' },
    'jwt-public-key': { takes: 'FILE', about: 'PEM file with the public key of its tokens (ES256).' },
    api: { takes: 'URL', about: 'Base address of its API. Default: ORIGIN/umanwc/v1.' },
    login: { takes: 'URL', about: 'Its login redirect. Default: ORIGIN/connect.' },
    exchange: { takes: 'URL', about: 'Its token exchange. Default: API/token.' },
    config: { takes: 'FILE', about: 'Read these values from the output of npm run gateway:config.' },
  },
  notes: [
    `An option overrides the file, and the file overrides the VASP's discovery document. The simulator listens at the gateway
root URL of that document. RELAY_PORT and APP_PORT set the ports of the relay and shop; DATA_DIR sets the data folder.`,
    'Exit code 2: a value is missing or not usable, and nothing was started.',
  ],
  examples: ['npm run gateway -- --vasp http://localhost:4000 --jwt-public-key vasp-public.pem'],
} as const satisfies Command

/** As given; a flag that is absent is undefined. */
export type GatewayArguments = ReturnType<typeof readGatewayArguments>

/** @throws Error with one line. */
export function readGatewayArguments(args: readonly string[]) {
  return parseCommandLine(GATEWAY, args).values
}
