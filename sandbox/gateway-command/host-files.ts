import { join } from 'node:path'
import { hostConfig } from '../../lib/backend/gateway-config'
import { IMPLEMENTED_COMMANDS } from '../../lib/backend/methods'
import { gatewayPort, vaspSettings } from '../shared/gateway-environment'
import { replaceFile } from '../shared/replace-file'
import type { Sandbox } from '../shared/settings'
import { ensureGatewayKeys, gatewayKeysPath, renewGatewayKeys } from './gateway-keys'
import { relayConfig } from './relay-config'

export interface HostOptions {
  readonly folder: string
  readonly newKeys: boolean
}

/**
 * Writes the settings of the gateway and of its relay for a host. Keys that the folder has are kept.
 * @returns the names of the files.
 * @throws Error with one line that names the missing setting. Then nothing is written.
 */
export function writeHostFiles({ environment }: Sandbox, { folder, newKeys }: HostOptions): readonly string[] {
  const relay = relayOf(environment.GATEWAY_RELAY_URL)
  if (!environment.JWT_PUBLIC_KEY)
    throw new Error('JWT_PUBLIC_KEY is missing: without it the gateway refuses every login.')
  const keys = newKeys ? renewGatewayKeys(folder) : ensureGatewayKeys(folder)
  const files = {
    'gateway.py': hostConfig({
      filled: vaspSettings(environment),
      commands: IMPLEMENTED_COMMANDS,
      port: gatewayPort(environment),
      relay,
      keys: { ...keys, path: gatewayKeysPath(folder) },
      vaspOrigin: environment.NEXTAUTH_URL ?? '',
      authorityFile: environment.NODE_EXTRA_CA_CERTS || undefined,
    }),
    'relay.toml': relayConfig({ relay, vaspName: environment.VASP_NAME ?? '' }),
  }
  for (const [name, text] of Object.entries(files)) replaceFile(join(folder, name), text)
  return Object.keys(files).map((name) => join(folder, name))
}

/** deploy/gateway.caddy serves the relay at the root of its name only. */
function relayOf(address: string | undefined): string {
  if (!address)
    throw new Error(
      'GATEWAY_RELAY_URL is missing: set it to the address of the relay, such as wss://relay.sandbox.example.',
    )
  const { protocol, host, pathname, search } = new URL(address)
  if (pathname !== '/' || search !== '')
    throw new Error(
      `GATEWAY_RELAY_URL has to be a name without a path, such as ${protocol}//${host}; it is ${address}.`,
    )
  return `${protocol}//${host}`
}
