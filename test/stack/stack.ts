import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { argsOf, compileScripts, otherBank, secondGateway } from '../../sandbox/demo/demo-processes'
import { pairShop } from '../../sandbox/demo/pair-shop'
import { ensureSouthbank, withPeer } from '../../sandbox/demo/southbank'
import { gatewayEnvironment } from '../../sandbox/shared/gateway-environment'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from '../../sandbox/shared/processes'
import { ensureSandbox, ensureSettings, type Sandbox, type SettingsFile } from '../../sandbox/shared/settings'
import { emptyDataDir } from '../databases/embedded'
import { addMigratedDatabase, migratedDataDir } from '../databases/migrated'
import { freePort } from '../programs/free-port'

export interface Stack {
  readonly vaspOrigin: string
  readonly gatewayOrigin: string
  readonly shopOrigin: string
  /** The relay's URL. */
  readonly relay: string
  /** The origin of the second VASP, if it was requested. */
  readonly southbankOrigin: string | undefined
  readonly settings: SettingsFile
  readonly vasp: RunningProcess
  /** Kills one process, as in a crash. */
  kill(name: PartName): Promise<void>
  /** Suspends a process: it accepts connections but does not answer. */
  pause(name: PartName): void
  /** Restarts a process that was killed, on the same folder and port, with any changed settings. */
  revive(name: PartName, changed?: Readonly<Record<string, string>>): Promise<RunningProcess>
  stop(): Promise<void>
}

export type PartName = 'VASP' | 'Southbank' | 'gateway' | 'relay' | 'shop'

/** The port of each process; a free port if none is given. */
export interface Ports {
  readonly vasp?: number
  readonly gateway?: number
  readonly relay?: number
  readonly shop?: number
  /** A second VASP, and its gateway, on free ports or on these. */
  readonly southbank?: true | { readonly vasp: number; readonly gateway: number }
  /** The VASP without gateway, relay and shop. */
  readonly alone?: boolean
}

interface Part {
  readonly name: PartName
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly alive: string
}

/**
 * Starts everything that the demo starts, on free ports, with its own folder and keys. The embedded databases are
 * copies.
 */
export async function startStack(
  extra: Readonly<Record<string, string>> = {},
  server: 'server.js' | 'next start' = 'server.js',
  ports: Ports = {},
): Promise<Stack> {
  const folder = extra.DATABASE_URL === undefined ? await migratedDataDir() : emptyDataDir()
  const port = ports.vasp ?? (await freePort())
  const gatewayPort = ports.gateway ?? (await freePort())
  const relayPort = ports.relay ?? (await freePort())
  const shopPort = ports.shop ?? (await freePort())
  const instance = { name: 'Northbank', port, gatewayRootUrl: `http://localhost:${gatewayPort}` }
  const settings = { ...ensureSettings(instance, folder), ...extra }
  const relay = `ws://localhost:${relayPort}`
  const shopOrigin = `http://localhost:${shopPort}`
  compileScripts()
  const first = ensureSandbox(settings)
  const southbank = ports.southbank === undefined ? undefined : await besideIt(first, ports.southbank)
  const all: readonly Part[] = [
    {
      name: 'VASP',
      args:
        server === 'server.js' ? ['server.js'] : ['node_modules/next/dist/bin/next', 'start', '--port', String(port)],
      env: {
        ...(southbank === undefined ? settings : withPeer(first, southbank).environment),
        SAMPLE_APP_URL: shopOrigin,
        GATEWAY_RELAY_URL: relay,
        NODE_ENV: 'production',
      },
      alive: `http://localhost:${port}/-/alive`,
    },
    {
      name: 'gateway',
      args: argsOf('gateway'),
      env: {
        ...gatewayEnvironment(settings),
        RELAY: relay,
        GATEWAY_DATA_DIR: join(folder, 'gateway'),
        ...(southbank === undefined ? {} : secondGateway(southbank, relay).env),
      },
      alive: `${instance.gatewayRootUrl}/-/alive`,
    },
    {
      name: 'relay',
      args: argsOf('relay'),
      env: { RELAY_PORT: String(relayPort), RELAY_DATA_DIR: join(folder, 'relay') },
      alive: `http://localhost:${relayPort}/-/alive`,
    },
    {
      name: 'shop',
      args: argsOf('app'),
      env: {
        APP_PORT: String(shopPort),
        APP_ROOT_URL: shopOrigin,
        RELAY: relay,
        APP_DATA_DIR: join(folder, 'shop'),
        APP_EXAMPLE_DOMAIN: `localhost:${port}`,
        APP_VASP_URL: `http://localhost:${port}`,
        APP_REPLY_TIMEOUT_MS: '8000',
        ...(southbank === undefined ? {} : otherBank(southbank)),
      },
      alive: `${shopOrigin}/-/ready`,
    },
    ...(southbank === undefined
      ? []
      : [
          {
            name: 'Southbank' as const,
            args: ['server.js'],
            env: { ...withPeer(southbank, first).environment, NODE_ENV: 'production' },
            alive: `${southbank.settings.publicOrigin}/-/alive`,
          },
        ]),
  ]
  const parts = ports.alone === true ? all.filter(({ name }) => name === 'VASP') : all
  const running = new Map<PartName, RunningProcess>()
  const start = async (part: Part): Promise<RunningProcess> => {
    const process = startProcess(part.name, part.args, { ...inherited(), ...part.env })
    running.set(part.name, process)
    await untilAnswers(process, part.alive)
    return process
  }
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((each) => stopProcess(each)))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    // Several processes may fail for one reason. The VASP comes first and has the clearest message.
    const starts = await Promise.allSettled(parts.map(start))
    for (const each of starts) if (each.status === 'rejected') throw each.reason
    const vasp = running.get('VASP')
    if (vasp === undefined) throw new Error('the stack has no VASP')
    return {
      vaspOrigin: `http://localhost:${port}`,
      gatewayOrigin: instance.gatewayRootUrl,
      shopOrigin,
      relay,
      southbankOrigin: southbank?.settings.publicOrigin,
      settings,
      vasp,
      async kill(name) {
        const process = running.get(name)
        if (process === undefined) return
        const ended = once(process.child, 'exit')
        process.child.kill('SIGKILL')
        await ended
      },
      pause(name) {
        running.get(name)?.child.kill('SIGSTOP')
      },
      async revive(name, changed) {
        const part = parts.find((each) => each.name === name)
        if (part === undefined) throw new Error(`this stack has no ${name}`)
        return start({ ...part, env: { ...part.env, ...changed } })
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Connects the shop's own wallet to Bob, as the demo does when it starts. */
export async function pairStackShop({ vaspOrigin, gatewayOrigin, shopOrigin }: StackOrigins): Promise<void> {
  const instance = 'northbank'
  await pairShop({ vaspOrigin, instance, gatewayRoot: gatewayOrigin, shopOrigin, password: 'sandbox' })
}

/** A sandbox user of a stack, as `sandbox/fetch-token` takes one. */
export function userOf({ vaspOrigin, gatewayOrigin }: Pick<Stack, 'vaspOrigin' | 'gatewayOrigin'>, username = 'alice') {
  return { vaspOrigin, gatewayRootUrl: gatewayOrigin, instance: 'northbank', username, password: 'sandbox' }
}

/** The environment in which an operator's command finds the VASP of a stack. */
export function environmentOf({ settings, vaspOrigin }: Pick<Stack, 'settings' | 'vaspOrigin'>): SettingsFile {
  return { ...settings, PORT: new URL(vaspOrigin).port }
}

type StackOrigins = Pick<Stack, 'vaspOrigin' | 'gatewayOrigin' | 'shopOrigin'>

async function besideIt(first: Sandbox, given: NonNullable<Ports['southbank']>): Promise<Sandbox> {
  const { vasp, gateway } = given === true ? { vasp: await freePort(), gateway: await freePort() } : given
  const [SOUTHBANK_PORT, SOUTHBANK_GATEWAY_PORT] = [String(vasp), String(gateway)]
  const environment = { ...first.environment, SOUTHBANK_PORT, SOUTHBANK_GATEWAY_PORT }
  const southbank = ensureSouthbank({ ...first, environment })
  await addMigratedDatabase(southbank.settings.dataDir)
  return southbank
}

/** The environment without the product's variables, which a developer may have set. */
function inherited(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, DATA_DIR: _folder, PORT: _port, ...rest } = process.env
  return rest
}
