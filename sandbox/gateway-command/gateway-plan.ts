import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { portsOf, processesInFrontOf, relayUrl, sampleAppOrigin, type DemoProcess } from '../demo/demo-processes'
import { requireFreePorts } from '../shared/ports'
import type { Environment } from '../shared/settings'
import { discoveryUrl, fetchDiscovery } from '../shop/discovery'
import { ShopError } from '../shop/problem'
import type { GatewayArguments } from './gateway-arguments'
import { readGatewayConfig } from './gateway-config'
import {
  DEFAULT,
  resolveDiscovered,
  resolveVasp,
  simulatorSettings,
  type GatewayValues,
  type Given,
  type Value,
  type VaspValues,
} from './gateway-values'

/** Everything that `npm run gateway` starts, and with which values. */
export interface GatewayPlan {
  readonly vasp: VaspValues
  readonly gateway: GatewayValues
  readonly shop: Value
  readonly relay: Value
  readonly dataDir: Value
  readonly processes: readonly DemoProcess[]
}

/**
 * Reads the files, asks the VASP and checks every value and port. Starts and writes nothing.
 * @throws Error with one line that names the flag, the variable or the VASP's setting to change.
 */
export async function planGateway(flags: GatewayArguments, env: Environment): Promise<GatewayPlan> {
  const { config: file, 'jwt-public-key': jwtPublicKey } = flags
  const given: Given = {
    flags,
    config: file === undefined ? {} : readGatewayConfig(readGivenFile('--config', file), file),
    publicKeyText: jwtPublicKey === undefined ? undefined : readGivenFile('--jwt-public-key', jwtPublicKey),
  }
  const vasp = await resolveVasp(given)
  const origin = vasp.vasp.text
  const gateway = resolveDiscovered(origin, await askVasp(vasp), given, env)
  const sourceOf = (name: string): string => (env[name] ? name : DEFAULT)
  const dataDir = { text: dataDirFor(origin, env), source: sourceOf('DATA_DIR') }
  const place = {
    settings: { dataDir: dataDir.text, vaspDomain: new URL(origin).host },
    // Only the settings that move ports: a folder named in the environment belongs to a demo.
    environment: { RELAY_PORT: env.RELAY_PORT, APP_PORT: env.APP_PORT },
  }
  const processes = processesInFrontOf(place, {
    env: simulatorSettings(vasp, gateway),
    portSetting: "the VASP's gateway root URL",
  })
  await requireFreePorts(portsOf(processes))
  return {
    vasp,
    gateway,
    shop: { text: sampleAppOrigin(place), source: sourceOf('APP_PORT') },
    relay: { text: relayUrl(place), source: sourceOf('RELAY_PORT') },
    dataDir,
    processes,
  }
}

async function askVasp({ vasp }: VaspValues): Promise<unknown> {
  try {
    return await fetchDiscovery(vasp.text)
  } catch (error) {
    if (!(error instanceof ShopError)) throw error
    const { code, message } = error.problem
    const mend = code === 'VASP_DOWN' ? 'Start the VASP' : `Serve the discovery document at ${discoveryUrl(vasp.text)}`
    throw new Error(`${message} ${mend}, or change ${vasp.source}.`, { cause: error })
  }
}

/** A folder for each VASP, apart from those of the demo. */
function dataDirFor(origin: string, env: Environment): string {
  const { hostname, port, protocol } = new URL(origin)
  const host = hostname.replaceAll(/[[\]]/g, '').replaceAll(':', '_')
  return join(env.DATA_DIR || '.data', 'gateway-for', `${host}-${port || (protocol === 'https:' ? 443 : 80)}`)
}

function readGivenFile(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`${flag} ${path} cannot be read (${code ?? message}): name a file that exists.`, { cause: error })
  }
}
