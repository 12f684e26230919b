import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMMANDS } from '../lib/gateway/commands'
import { gatewayEnvironment } from '../sandbox/gateway-environment'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../sandbox/processes'
import { ensureSettings, type SettingsFile } from '../sandbox/settings'

export interface Stack {
  readonly vaspOrigin: string
  readonly gatewayOrigin: string
  readonly settings: SettingsFile
  readonly vasp: RunningProcess
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** A VASP and a gateway stand-in on free ports, with a folder and keys of their own. */
export async function startStack(
  extra: Readonly<Record<string, string>> = {},
  server: 'server.js' | 'next start' = 'server.js',
): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-'))
  const [port, gatewayPort] = [await freePort(), await freePort()]
  const instance = { name: 'Northbank', port, gatewayRootUrl: `http://localhost:${gatewayPort}` }
  const settings = { ...ensureSettings(instance, folder), ...extra }
  const command =
    server === 'server.js' ? ['server.js'] : ['node_modules/next/dist/bin/next', 'start', '--port', String(port)]
  const vasp = startProcess('VASP', command, { ...inherited(), ...settings, NODE_ENV: 'production' })
  const gateway = startProcess('gateway stand-in', ['--import', 'tsx', 'sandbox/gateway/main.ts'], {
    ...inherited(),
    ...gatewayEnvironment(settings),
    // A gateway that offers every command, so that fewer can be chosen; the VASP grants known names without code too.
    VASP_SUPPORTED_COMMANDS: COMMANDS.map(({ name }) => name).join(','),
    GATEWAY_DATA_DIR: join(folder, 'gateway'),
  })
  const stop = async (): Promise<void> => {
    await Promise.all([stopProcess(vasp), stopProcess(gateway)])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilAnswers(vasp, `http://localhost:${port}/-/alive`, 60_000)
    await untilAnswers(gateway, `${instance.gatewayRootUrl}/-/alive`, 60_000)
  } catch (error) {
    await stop()
    throw error
  }
  return { vaspOrigin: `http://localhost:${port}`, gatewayOrigin: instance.gatewayRootUrl, settings, vasp, stop }
}

/** The environment without what a developer may have set for the product. */
function inherited(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, DATA_DIR: _folder, PORT: _port, ...rest } = process.env
  return rest
}
