import { pythonConfig, type GatewayConfig } from '../lib/backend/gateway-config'
import { IMPLEMENTED_COMMANDS } from '../lib/backend/methods'
import { relayUrl } from '../sandbox/demo/demo-processes'
import { ensureGatewayKeys, gatewayKeysPath, renewGatewayKeys } from '../sandbox/gateway-command/gateway-keys'
import { writeHostFiles, type HostOptions } from '../sandbox/gateway-command/host-files'
import { gatewayPort, vaspSettings } from '../sandbox/shared/gateway-environment'
import { givenSandbox, readSandbox, type Sandbox } from '../sandbox/shared/settings'
import { GATEWAY_CONFIG } from './operator-options'
import { oneOf, parseCommandLine, readOptions } from './options'

// With python, stdout contains the file only.
try {
  const { folder, newKeys } = readOptions(GATEWAY_CONFIG, (args) => {
    const { values } = parseCommandLine(GATEWAY_CONFIG, args)
    const format = oneOf('format', values.format, ['python', 'host'])
    if (format === 'host' && !values.folder) throw new Error('--format=host takes --folder too.')
    if (format !== 'host' && values.folder !== undefined) throw new Error('--folder is for --format=host.')
    return { folder: values.folder, newKeys: values['new-keys'] === true }
  })
  const sandbox = givenSandbox(process.env)
  if (folder === undefined) print(sandbox, newKeys)
  else writeForHost(sandbox, { folder, newKeys })
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function print(sandbox: Sandbox, newKeys: boolean): void {
  const demo = readSandbox(process.env) === undefined ? undefined : demoParts(sandbox, newKeys)
  if (newKeys && demo === undefined)
    throw new Error('--new-keys is for a demo or with --format=host. You generate the keys of this gateway yourself.')
  if (newKeys) warnOfNewKeys()
  const { environment } = sandbox
  process.stdout.write(
    pythonConfig({
      filled: vaspSettings(environment),
      commands: IMPLEMENTED_COMMANDS,
      port: gatewayPort(environment),
      ...(demo ?? { relay: undefined, keys: undefined }),
    }),
  )
}

function writeForHost(sandbox: Sandbox, options: HostOptions): void {
  const files = writeHostFiles(sandbox, options)
  if (options.newKeys) warnOfNewKeys()
  if (!sandbox.environment.GATEWAY_RELAY_URL?.startsWith('wss:'))
    console.error('Apps can sign in (OAuth) over a wss:// relay only. Over ws:// they need manual connections.')
  console.log(`Wrote ${files.join(' and ')}. Keep the folder with your other secrets.`)
}

function warnOfNewKeys(): void {
  console.error('New keys: every pairing ends when the gateway starts with them. Connect your apps again.')
}

function demoParts(sandbox: Sandbox, newKeys: boolean): Pick<GatewayConfig, 'relay' | 'keys'> {
  const { dataDir } = sandbox.settings
  const keys = newKeys ? renewGatewayKeys(dataDir) : ensureGatewayKeys(dataDir)
  return { relay: relayUrl(sandbox), keys: { ...keys, path: gatewayKeysPath(dataDir) } }
}
