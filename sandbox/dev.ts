import { spawn } from 'node:child_process'
import { NORTHBANK, ensureSettings } from './settings'

// `next dev` with the sandbox's settings; what the environment says wins.
const env: NodeJS.ProcessEnv = { ...ensureSettings(NORTHBANK), ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
const server = spawn(
  process.execPath,
  ['node_modules/next/dist/bin/next', 'dev', '--port', env.PORT ?? '3000', '--hostname', 'localhost'],
  {
    stdio: 'inherit',
    env,
  },
)
server.on('exit', (code) => process.exit(code ?? 0))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))
