import { IMPLEMENTED_COMMANDS } from '../lib/backend/methods'
import { relayUrl } from '../sandbox/demo-processes'
import { gatewayConfig, type GatewayConfig } from '../sandbox/gateway/config-text'
import { gatewayEnvironment } from '../sandbox/gateway-environment'
import { ensureGatewayKeys, gatewayKeysPath, renewGatewayKeys } from '../sandbox/gateway-keys'
import { givenSandbox, readSandbox, type Sandbox } from '../sandbox/settings'
import { GATEWAY_CONFIG } from './operator-options'
import { oneOf, parseCommandLine, readOptions } from './options'

// stdout is the file and nothing else.
try {
  const newKeys = readOptions(GATEWAY_CONFIG, (args) => {
    const { values } = parseCommandLine(GATEWAY_CONFIG, args)
    oneOf('format', values.format, ['python'])
    return values['new-keys'] === true
  })
  const sandbox = givenSandbox(process.env)
  const demo = readSandbox(process.env) === undefined ? undefined : demoParts(sandbox, newKeys)
  if (newKeys && demo === undefined) throw new Error('--new-keys is for a demo. The keys of this gateway are yours.')
  if (newKeys) console.error('New keys: every pairing ends when the gateway starts with them. Connect your apps again.')
  const filled = gatewayEnvironment(sandbox.environment)
  process.stdout.write(gatewayConfig({ filled, commands: IMPLEMENTED_COMMANDS, demo }))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function demoParts(sandbox: Sandbox, newKeys: boolean): GatewayConfig['demo'] {
  const { dataDir } = sandbox.settings
  const keys = newKeys ? renewGatewayKeys(dataDir) : ensureGatewayKeys(dataDir)
  return { relay: relayUrl(sandbox), keys, keysPath: gatewayKeysPath(dataDir) }
}
