import { pythonConfig, type GatewayConfig } from '../lib/backend/gateway-config'
import { IMPLEMENTED_COMMANDS } from '../lib/backend/methods'
import { relayUrl } from '../sandbox/demo/demo-processes'
import { ensureGatewayKeys, gatewayKeysPath, renewGatewayKeys } from '../sandbox/gateway-command/gateway-keys'
import { gatewayPort, vaspSettings } from '../sandbox/shared/gateway-environment'
import { givenSandbox, readSandbox, type Sandbox } from '../sandbox/shared/settings'
import { GATEWAY_CONFIG } from './operator-options'
import { oneOf, parseCommandLine, readOptions } from './options'

// stdout contains the file only.
try {
  const newKeys = readOptions(GATEWAY_CONFIG, (args) => {
    const { values } = parseCommandLine(GATEWAY_CONFIG, args)
    oneOf('format', values.format, ['python'])
    return values['new-keys'] === true
  })
  const sandbox = givenSandbox(process.env)
  const demo = readSandbox(process.env) === undefined ? undefined : demoParts(sandbox, newKeys)
  if (newKeys && demo === undefined)
    throw new Error('--new-keys is for a demo. You generate the keys of this gateway yourself.')
  if (newKeys) console.error('New keys: every pairing ends when the gateway starts with them. Connect your apps again.')
  const { environment } = sandbox
  process.stdout.write(
    pythonConfig({
      filled: vaspSettings(environment),
      commands: IMPLEMENTED_COMMANDS,
      port: gatewayPort(environment),
      ...(demo ?? { relay: undefined, keys: undefined }),
    }),
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function demoParts(sandbox: Sandbox, newKeys: boolean): Pick<GatewayConfig, 'relay' | 'keys'> {
  const { dataDir } = sandbox.settings
  const keys = newKeys ? renewGatewayKeys(dataDir) : ensureGatewayKeys(dataDir)
  return { relay: relayUrl(sandbox), keys: { ...keys, path: gatewayKeysPath(dataDir) } }
}
