import { join } from 'node:path'
import { compile, compiledPath } from '../scripts/compiled.mjs'
import { gatewayEnvironment } from './gateway-environment'
import { LOOPBACKS, type WantedPort } from './ports'
import type { Sandbox } from './settings'

/** One process of the demo: how it is started, where it listens, and how it says that it can be used. */
export interface DemoProcess {
  readonly name: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly listens: WantedPort
  /** Answers 200 with this text once the process can be used. */
  readonly aliveUrl: string
  readonly says: RegExp
}

/** The table of the demo. A row is all that a further process needs. */
export function demoProcesses(sandbox: Sandbox, { gateway }: { readonly gateway: boolean }): DemoProcess[] {
  return [vasp(sandbox), ...(gateway ? [gatewayStandIn(sandbox)] : []), relay(sandbox), sampleApp(sandbox)]
}

/** Where the sample app answers; the VASP's home page links to it. */
export function sampleAppOrigin({ environment }: Pick<Sandbox, 'environment'>): string {
  return `http://localhost:${portFrom(environment, 'APP_PORT', 3200)}`
}

function relayUrl({ environment }: Pick<Sandbox, 'environment'>): string {
  return `ws://localhost:${portFrom(environment, 'RELAY_PORT', 7447)}`
}

function portFrom(environment: Sandbox['environment'], setting: string, usual: number): number {
  const port = Number(environment[setting] || usual)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${setting} is not usable: use a port from 1 to 65535.`)
  return port
}

/** The processes beside the VASP, which Next builds. */
export const SCRIPTS = {
  gateway: 'sandbox/gateway/main.ts',
  relay: 'sandbox/relay/main.ts',
  app: 'sandbox/app/main.ts',
} as const

/** To be called before any of them is started. */
export function compileScripts(): void {
  compile(Object.values(SCRIPTS))
}

export function argsOf(script: keyof typeof SCRIPTS): readonly string[] {
  return [compiledPath(SCRIPTS[script])]
}

function relay({ environment }: Sandbox): DemoProcess {
  const port = portFrom(environment, 'RELAY_PORT', 7447)
  return {
    name: 'relay',
    args: argsOf('relay'),
    env: { RELAY_PORT: String(port) },
    listens: { setting: 'RELAY_PORT', port, hosts: LOOPBACKS },
    aliveUrl: `http://localhost:${port}/-/alive`,
    says: /^ok$/,
  }
}

function sampleApp(sandbox: Sandbox): DemoProcess {
  const { settings, environment } = sandbox
  const port = portFrom(environment, 'APP_PORT', 3200)
  return {
    name: 'sample app',
    args: argsOf('app'),
    env: {
      APP_PORT: String(port),
      APP_ROOT_URL: sampleAppOrigin(sandbox),
      APP_EXAMPLE_DOMAIN: settings.vaspDomain,
      APP_DATA_DIR: environment.APP_DATA_DIR ?? folderOf('app', settings.dataDir),
      RELAY: relayUrl(sandbox),
    },
    listens: { setting: 'APP_PORT', port, hosts: LOOPBACKS },
    aliveUrl: `http://localhost:${port}/-/alive`,
    says: /^ok$/,
  }
}

function vasp(sandbox: Sandbox): DemoProcess {
  const { settings, environment } = sandbox
  const everywhere = settings.host === undefined || ['0.0.0.0', '::'].includes(settings.host)
  return {
    name: 'VASP',
    args: ['server.js'],
    env: { ...environment, SAMPLE_APP_URL: sampleAppOrigin(sandbox), NODE_ENV: 'production' },
    listens: {
      setting: 'PORT',
      port: settings.port,
      hosts: settings.host === undefined ? LOOPBACKS : [settings.host],
    },
    aliveUrl: `http://${everywhere ? 'localhost' : hostInUrl(settings.host ?? '')}:${settings.port}/-/ready`,
    says: /"ready":true/,
  }
}

function gatewayStandIn(sandbox: Sandbox): DemoProcess {
  const { settings, environment } = sandbox
  const env = gatewayEnvironment(environment)
  const port = portFrom(env, 'GATEWAY_PORT', 8080)
  return {
    name: 'gateway stand-in',
    args: argsOf('gateway'),
    env: {
      ...env,
      RELAY: relayUrl(sandbox),
      GATEWAY_DATA_DIR: environment.GATEWAY_DATA_DIR ?? folderOf('gateway', settings.dataDir),
    },
    listens: { setting: 'GATEWAY_PORT', port, hosts: LOOPBACKS },
    aliveUrl: `http://localhost:${port}/-/alive`,
    says: /^ok$/,
  }
}

/** Whether the gateway is ours to start: one elsewhere is somebody's own, unless a port says that a proxy leads here. */
export function hasStandIn({ settings, environment }: Sandbox): boolean {
  return Boolean(environment.GATEWAY_PORT) || LOCAL.test(settings.gatewayRootUrl.hostname)
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** What a process beside the VASP keeps: next to the first instance's folder, and inside any other's, so that two demos share none. */
export function folderOf(name: string, dataDir: string): string {
  return dataDir === join('.data', 'northbank') ? join('.data', name) : join(dataDir, name)
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
