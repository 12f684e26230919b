import { nodePublicKey } from '../lib/lightning/node-key'
import { SETTING_NAMES } from '../lib/platform/config'
import { folderOf } from './folders'
import { ensureSandbox, ensureSettings, type Sandbox } from './settings'

/** The second wallet operator of the demo, so that two really pay each other: the same build, with a database and keys of its own. */
const SOUTHBANK = { name: 'Southbank', port: 3001, gatewayRootUrl: 'http://localhost:8081' }

/** What is said of the first is meant for the second too; all else that is said is the first one's alone. */
const SHARED = [
  'SANDBOX_TOOLS',
  'SANDBOX_PASSWORD',
  'SANDBOX_TEAM_PASSWORD',
  'BALANCE_DEFAULT_UNIT',
  'RATE_LIMITS',
  'LOG_LEVEL',
  'LIGHTNING_PEER_LIMIT_MSATS',
  'PAYMENT_WAIT_SECONDS',
  'MAX_OPEN_PAYMENTS_PER_USER',
  'QUOTE_SECONDS',
]

export function southbankFolder(dataDir: string): string {
  return folderOf('southbank', dataDir)
}

/** Southbank stands on this machine, so only a VASP of this machine can have it as its peer. */
export function hasSouthbank({ settings }: Pick<Sandbox, 'settings'>): boolean {
  return new URL(settings.publicOrigin).hostname === 'localhost'
}

/** Made on the first run. Its ports follow the first one's, so that a second demo needs no more than the ports it has. */
export function ensureSouthbank({ settings, environment }: Sandbox): Sandbox {
  const dataDir = southbankFolder(settings.dataDir)
  ensureSettings(SOUTHBANK, dataDir)
  const gatewayPort = Number(environment.GATEWAY_PORT || settings.gatewayRootUrl.port || 8080)
  const shared = SHARED.filter((name) => environment[name] !== undefined).map((name) => [name, environment[name]])
  const sandbox = ensureSandbox({
    ...Object.fromEntries(shared),
    DATA_DIR: dataDir,
    PORT: environment.SOUTHBANK_PORT || String(settings.port + 1),
    GATEWAY_PORT: environment.SOUTHBANK_GATEWAY_PORT || String(gatewayPort + 1),
  })
  // Its process inherits our environment, where every one of these may stand for the first.
  const nothing = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']))
  return { ...sandbox, environment: { ...nothing, ...sandbox.environment } }
}

/** The sandbox with another as its peer, on Lightning and by UMA, beside those that it has. */
export function withPeer(sandbox: Sandbox, other: Sandbox): Sandbox {
  const key = nodeKeyOf(other)
  const before = (sandbox.environment.LIGHTNING_PEERS ?? '').split(',').filter((each) => each.trim() !== '')
  const others = before.filter((each) => !each.trim().startsWith(`${key}@`))
  const LIGHTNING_PEERS = [...others, `${key}@${other.settings.publicOrigin}`].join(',')
  const UMA_LOCAL_PEERS = [...new Set([...sandbox.settings.umaLocalPeers, other.settings.vaspDomain])].join(',')
  return { ...sandbox, environment: { ...sandbox.environment, LIGHTNING_PEERS, UMA_LOCAL_PEERS } }
}

/** The public key of its Lightning node. */
export function nodeKeyOf({ settings }: Pick<Sandbox, 'settings'>): string {
  return nodePublicKey(settings.lightningNodeKeyHex)
}
