import { compile, compiledPath } from '../../scripts/compiled.mjs'
import { gatewayEnvironment } from '../shared/gateway-environment'
import { isThisMachine } from '../shared/own-site'
import { LOOPBACKS, originHere, type WantedPort } from '../shared/ports'
import type { Environment, Sandbox } from '../shared/settings'
import { folderOf } from './folders'
import { nodeKeyOf, withPeer } from './southbank'

/** One process of the demo: its start, its ports, and its readiness check. */
export interface DemoProcess {
  readonly name: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly listens: WantedPort
  readonly alsoListens?: WantedPort
  /** Answers 200 with this text once the process is ready. */
  readonly aliveUrl: string
  readonly says: RegExp
}

interface Parts {
  readonly gateway: boolean
  /** The second VASP, if there is one. */
  readonly southbank?: Sandbox | undefined
  /** Whether new data begins with example movements. */
  readonly month?: boolean
  /** The public key of the second VASP's node, where it is a real one. */
  readonly southbankKey?: string | undefined
}

/**
 * The VASP's values for the processes next to it: its domain, a data folder, and the variables that move their ports.
 */
export interface Place {
  readonly settings: { readonly dataDir: string; readonly vaspDomain: string }
  readonly environment: Environment
}

/** All processes of the demo. A further process needs one more row here. */
export function demoProcesses(
  sandbox: Sandbox,
  { gateway, southbank, month = false, southbankKey }: Parts,
): DemoProcess[] {
  const links = {
    SAMPLE_APP_URL: sampleAppOrigin(sandbox),
    GATEWAY_RELAY_URL: relayUrl(sandbox),
    IDENTITY_RELAYS: sandbox.environment.IDENTITY_RELAYS || relayUrl(sandbox),
    PAYMENT_WAIT_SECONDS: paymentWait(sandbox, gateway),
    ...(month ? { SANDBOX_EXAMPLE_MONTH: 'on' } : {}),
  }
  return [
    vasp('VASP', 'PORT', southbank === undefined ? sandbox : withPeer(sandbox, southbank), links),
    ...(southbank === undefined
      ? []
      : [vasp(southbank.settings.vaspName, 'SOUTHBANK_PORT', withPeer(southbank, sandbox), links)]),
    ...(gateway ? [gatewaySimulator(sandbox, southbank)] : []),
    relay(sandbox),
    sampleApp(sandbox, { vaspUrl: sandbox.settings.publicOrigin, southbank, southbankKey }),
  ]
}

/**
 * How long the VASPs let a call wait for its payment; empty for their default. The user's own gateway is taken for the
 * public one, which carries out one request at a time: a payment that waits stops all its other calls.
 */
function paymentWait({ environment }: Pick<Place, 'environment'>, gateway: boolean): string {
  return environment.PAYMENT_WAIT_SECONDS || (gateway ? '' : PUBLIC_GATEWAY_WAIT_SECONDS)
}

export const PUBLIC_GATEWAY_WAIT_SECONDS = '30'

/** Gateway simulator, relay and shop in front of a VASP that runs elsewhere. */
export function processesInFrontOf(place: Place, gateway: SimulatorPart): DemoProcess[] {
  return [simulator(place, gateway), relay(place), sampleApp(place, {})]
}

/** Every port that the processes will listen on. */
export function portsOf(processes: readonly DemoProcess[]): WantedPort[] {
  return processes.flatMap(({ listens, alsoListens }) => (alsoListens ? [listens, alsoListens] : [listens]))
}

/** The origin of the shop, for the link on the VASP's home page. */
export function sampleAppOrigin({ environment }: Pick<Place, 'environment'>): string {
  return `http://localhost:${portFrom(environment, 'APP_PORT', 3200)}`
}

export function relayUrl({ environment }: Pick<Place, 'environment'>): string {
  return `ws://localhost:${portFrom(environment, 'RELAY_PORT', 7447)}`
}

function portFrom(environment: Environment, setting: string, usual: number): number {
  const port = Number(environment[setting] || usual)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${setting} is not usable: use a port from 1 to 65535.`)
  return port
}

/** The processes beside the VASP, which Next builds. */
const SCRIPTS = {
  gateway: 'sandbox/gateway/main.ts',
  relay: 'sandbox/relay/main.ts',
  app: 'sandbox/shop/main.ts',
} as const

/** Must be called before any of the processes for which `isCompiled` is true is started. */
export function compileScripts(): void {
  compile(Object.values(SCRIPTS))
}

export function isCompiled({ args }: DemoProcess): boolean {
  return Object.values(SCRIPTS).some((script) => args[0] === compiledPath(script))
}

export function argsOf(script: keyof typeof SCRIPTS): readonly string[] {
  return [compiledPath(SCRIPTS[script])]
}

function relay({ settings, environment }: Place): DemoProcess {
  const port = portFrom(environment, 'RELAY_PORT', 7447)
  return {
    name: 'relay',
    args: argsOf('relay'),
    env: {
      RELAY_PORT: String(port),
      RELAY_DATA_DIR: environment.RELAY_DATA_DIR ?? folderOf('relay', settings.dataDir),
    },
    listens: { setting: 'RELAY_PORT', port, hosts: LOOPBACKS },
    aliveUrl: `http://localhost:${port}/-/alive`,
    says: /^ok$/,
  }
}

interface ShopParts {
  /** Where the pages of the VASP are, if it is the sandbox's. */
  readonly vaspUrl?: string
  readonly southbank?: Sandbox | undefined
  readonly southbankKey?: string | undefined
}

function sampleApp(place: Place, { vaspUrl, southbank, southbankKey }: ShopParts): DemoProcess {
  const { settings, environment } = place
  const port = portFrom(environment, 'APP_PORT', 3200)
  return {
    name: 'shop',
    args: argsOf('app'),
    env: {
      APP_PORT: String(port),
      APP_ROOT_URL: sampleAppOrigin(place),
      APP_EXAMPLE_DOMAIN: settings.vaspDomain,
      ...(vaspUrl === undefined ? {} : { APP_VASP_URL: vaspUrl }),
      APP_DATA_DIR: environment.APP_DATA_DIR ?? folderOf('app', settings.dataDir),
      RELAY: relayUrl(place),
      ...(southbank === undefined ? {} : otherBank(southbank, southbankKey)),
    },
    listens: { setting: 'APP_PORT', port, hosts: LOOPBACKS },
    aliveUrl: `http://localhost:${port}/-/ready`,
    says: /^ok$/,
  }
}

/** The settings with which the shop shows the second VASP. */
export function otherBank(southbank: Sandbox, nodeKey = nodeKeyOf(southbank)): Record<string, string> {
  return {
    APP_OTHER_VASP_NAME: southbank.settings.vaspName,
    APP_OTHER_VASP_URL: southbank.settings.publicOrigin,
    APP_OTHER_NODE_KEY: nodeKey,
  }
}

/** `links`: settings for the processes next to the VASP. */
function vasp(
  name: string,
  portSetting: string,
  sandbox: Sandbox,
  links: Readonly<Record<string, string>>,
): DemoProcess {
  const { settings, environment } = sandbox
  return {
    name,
    args: ['server.js'],
    env: { ...environment, ...links, NODE_ENV: 'production' },
    listens: {
      setting: portSetting,
      port: settings.port,
      hosts: settings.host === undefined ? LOOPBACKS : [settings.host],
    },
    aliveUrl: `${originHere(settings.host, settings.port)}/-/ready`,
    says: /"ready":true/,
  }
}

function gatewaySimulator(sandbox: Sandbox, southbank: Sandbox | undefined): DemoProcess {
  const second = southbank === undefined ? undefined : secondGateway(southbank, relayUrl(sandbox))
  return {
    ...simulator(sandbox, {
      env: { ...gatewayEnvironment(sandbox.environment), ...second?.env },
      portSetting: 'GATEWAY_PORT',
    }),
    ...(second === undefined ? {} : { alsoListens: second.listens }),
  }
}

/** The simulator's settings, without relay and folder, and the variable to change when its port is taken. */
interface SimulatorPart {
  readonly env: Readonly<Record<string, string>>
  readonly portSetting: string
}

function simulator(place: Place, { env, portSetting }: SimulatorPart): DemoProcess {
  const { settings, environment } = place
  const port = portFrom(env, 'GATEWAY_PORT', 8080)
  return {
    name: 'gateway simulator',
    args: argsOf('gateway'),
    env: {
      ...env,
      RELAY: relayUrl(place),
      GATEWAY_DATA_DIR: environment.GATEWAY_DATA_DIR ?? folderOf('gateway', settings.dataDir),
    },
    listens: { setting: portSetting, port, hosts: LOOPBACKS },
    aliveUrl: `http://localhost:${port}/-/alive`,
    says: /^ok$/,
  }
}

/** Southbank's gateway, in the same process: its settings have this prefix. */
export function secondGateway(
  southbank: Sandbox,
  overRelay: string,
): { readonly env: Record<string, string>; readonly listens: WantedPort } {
  const own: Record<string, string> = {
    ...gatewayEnvironment(southbank.environment),
    RELAY: overRelay,
    GATEWAY_DATA_DIR: folderOf('gateway', southbank.settings.dataDir),
  }
  const env = Object.fromEntries(Object.entries(own).map(([name, value]) => [`SECOND_${name}`, value]))
  const port = portFrom(own, 'GATEWAY_PORT', 8081)
  return { env, listens: { setting: 'SOUTHBANK_GATEWAY_PORT', port, hosts: LOOPBACKS } }
}

/**
 * Whether the demo starts the gateway. A gateway on another host is the user's own, unless GATEWAY_PORT is set: then a
 * proxy on that host forwards to this machine.
 */
export function hasSimulator({ settings, environment }: Sandbox): boolean {
  return Boolean(environment.GATEWAY_PORT) || isThisMachine(settings.gatewayRootUrl.hostname)
}
