import { parseArgs } from 'node:util'
import { settingNames } from '../lib/gateway/commands'
import { gatewayEnvironment } from '../sandbox/gateway-environment'
import { gatewayConfig } from '../sandbox/gateway/config-text'
import { NORTHBANK, dataDirOf, ensureSettings, readSettings, settingsPath } from '../sandbox/settings'

// Prints the settings for a public gateway, filled in. stdout is the file and nothing else.
const { values } = parseArgs({ options: { format: { type: 'string', default: 'env' } } })
if (values.format !== 'env' && values.format !== 'python') {
  console.error('Usage: npm run --silent gateway:config -- --format=env|python')
  process.exit(1)
}
const dataDir = process.env.DATA_DIR ?? dataDirOf(NORTHBANK)
ensureSettings(NORTHBANK, dataDir)
const { GATEWAY_PORT: _port, ...filled } = gatewayEnvironment(readSettings(settingsPath(dataDir)))
process.stdout.write(gatewayConfig(values.format, filled, settingNames()))
