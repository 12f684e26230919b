import { BENCH } from '../bench/options'
import { DEMO } from '../sandbox/demo/demo-arguments'
import { GATEWAY } from '../sandbox/gateway-command/gateway-arguments'
import { MUTATE } from '../test/mutations/arguments'
import { CONFORMANCE } from './conformance-options'
import { DOCS } from './document-options'
import { SIZE, SOAK } from './measure-options'
import { AUDIT, BUILDS, GATEWAY_CONFIG, PAYMENTS, USERS, WIRE } from './operator-options'
import type { Command } from './options'
import { SIMULATE } from './simulate/arguments'
import { TEST } from './test/arguments'
import { TOKEN } from './token-arguments'

/** The npm scripts that have `--help`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  demo: DEMO,
  token: TOKEN,
  gateway: GATEWAY,
  conformance: CONFORMANCE,
  'gateway:config': GATEWAY_CONFIG,
  audit: AUDIT,
  builds: BUILDS,
  payments: PAYMENTS,
  users: USERS,
  wire: WIRE,
  test: TEST,
  mutations: MUTATE,
  simulate: SIMULATE,
  bench: BENCH,
  soak: SOAK,
  size: SIZE,
  docs: DOCS,
}

/** The npm scripts without options, each with one sentence. */
export const PLAIN_COMMANDS: Readonly<Record<string, string>> = {
  start:
    'Starts the VASP alone (`server.js`), without a gateway. It needs a build and settings. Without a POSIX shell, run `node --max-semi-space-size=8 --max-old-space-size=512 server.js`.',
  build: 'Builds the VASP for production.',
  dev: "Starts Next's development server in place of the VASP, with the simulator, the relay and the shop. Stop the demo first.",
  'demo:film':
    "Follows the README's tour in a browser and takes its screenshots, each with the texts of its page. Stop the demo first.",
  check: 'Runs format:check, lint, types and the unit tests.',
  unit: 'Runs the unit tests. `npm run unit -- FILE` runs one file.',
  types: 'Runs the type checker.',
  lint: 'Runs the linter.',
  format: 'Formats all files.',
  'format:check': 'Fails when a file is not formatted.',
}
