import { parseArgs } from 'node:util'
import { settingNames } from '../lib/gateway/commands'
import { gatewayEnvironment } from '../sandbox/gateway-environment'
import { gatewayConfig } from '../sandbox/gateway/config-text'
import { givenSandbox } from '../sandbox/settings'

const USAGE = 'Usage: npm run --silent gateway:config -- --format=env|python'

// Prints the settings for a public gateway, filled in. stdout is the file and nothing else.
try {
  const format = readFormat()
  const { GATEWAY_PORT: _port, ...filled } = gatewayEnvironment(givenSandbox(process.env).environment)
  process.stdout.write(gatewayConfig(format, filled, settingNames()))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function readFormat(): 'env' | 'python' {
  try {
    const { format } = parseArgs({ options: { format: { type: 'string', default: 'env' } } }).values
    if (format === 'env' || format === 'python') return format
  } catch {
    // An option that there is not: the usage says which there are.
  }
  throw new Error(USAGE)
}
