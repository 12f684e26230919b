import { oneOf, parseCommandLine, type Command } from '../../scripts/options'

export const DEMO = {
  usage: 'npm run demo [-- OPTIONS]',
  does: 'Starts two VASPs, the gateway simulator, a relay and the shop, and prints the addresses to open.',
  options: {
    'no-gateway': {
      about: 'Start no simulator, leave its address to your own gateway, and set PAYMENT_WAIT_SECONDS=30.',
    },
    empty: { about: 'Begin new data without the example movements of the last month.' },
    lnd: {
      about: 'Use real LND nodes on a chain of their own, built with Go at the first start. Data: .data/lnd.',
    },
    'no-southbank': { about: 'Start one VASP only.' },
    reset: { takes: '[=keys]', about: 'Delete the data first and keep the keys; --reset=keys renews the keys too.' },
  },
  notes: [
    `Environment variables set the ports and folders: PORT, GATEWAY_PORT, RELAY_PORT, APP_PORT, DATA_DIR, VASP_NAME.
SOUTHBANK_PORT and SOUTHBANK_GATEWAY_PORT set the ports of Southbank. docs/settings.md has the other settings.`,
  ],
  examples: [
    'npm run demo',
    'npm run demo -- --reset',
    'npm run demo -- --lnd',
    'DATA_DIR=.data/second PORT=3300 GATEWAY_PORT=8380 RELAY_PORT=7747 APP_PORT=3500 npm run demo',
  ],
} as const satisfies Command

/** @throws Error with one line. */
export function readDemoArguments(args: readonly string[]) {
  // `--reset` alone means `--reset=data`.
  const given = args.map((arg) => (arg === '--reset' ? '--reset=data' : arg))
  const {
    reset,
    'no-gateway': noGateway,
    'no-southbank': noSouthbank,
    empty,
    lnd,
  } = parseCommandLine(DEMO, given).values
  return {
    lnd: lnd === true,
    gateway: noGateway !== true,
    southbank: noSouthbank !== true,
    empty: empty === true,
    reset: oneOf('reset', reset, ['data', 'keys']),
  }
}
