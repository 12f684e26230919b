import { nodePublicKey } from '../../lib/lightning/node-key'
import { SETTING_NAMES } from '../../lib/platform/config'
import { ensureSandbox, ensureSettings, type Sandbox } from '../shared/settings'
import { folderOf } from './folders'

/**
 * The demo's second wallet operator, so that two VASPs really pay each other: the same build, with its own database and
 * keys.
 */
const SOUTHBANK = { name: 'Southbank', port: 3001, gatewayRootUrl: 'http://localhost:8081' }

/** Settings of the first VASP that apply to the second too; all others apply to the first one only. */
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
  'MAX_ACTIVE_CONNECTIONS_PER_USER',
  'QUOTE_SECONDS',
]

export function southbankFolder(dataDir: string): string {
  return folderOf('southbank', dataDir)
}

/** Southbank runs on this machine, so only a VASP on this machine can be its peer. */
export function hasSouthbank({ settings }: Pick<Sandbox, 'settings'>): boolean {
  return new URL(settings.publicOrigin).hostname === 'localhost'
}

/** Created on the first run. Its ports follow the first one's, so that a second demo needs no further settings. */
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
  // Its process inherits our environment, where each of these may be set for the first VASP.
  const nothing = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']))
  return { ...sandbox, environment: { ...nothing, VASP_ACCENT: 'blue', ...sandbox.environment } }
}

/** The sandbox with another as its peer over Lightning and UMA, in addition to its existing peers. */
export function withPeer(sandbox: Sandbox, other: Sandbox): Sandbox {
  const key = nodeKeyOf(other)
  const before = (sandbox.environment.LIGHTNING_PEERS ?? '').split(',').filter((each) => each.trim() !== '')
  const others = before.filter((each) => !each.trim().startsWith(`${key}@`))
  const LIGHTNING_PEERS = hasLnd(sandbox) ? '' : [...others, `${key}@${other.settings.publicOrigin}`].join(',')
  const UMA_LOCAL_PEERS = [...new Set([...sandbox.settings.umaLocalPeers, other.settings.vaspDomain])].join(',')
  return { ...sandbox, environment: { ...sandbox.environment, LIGHTNING_PEERS, UMA_LOCAL_PEERS } }
}

function hasLnd({ environment }: Pick<Sandbox, 'environment'>): boolean {
  return Boolean(environment.LND_URL)
}

/** The public key of its simulated Lightning node. */
export function nodeKeyOf({ settings }: Pick<Sandbox, 'settings'>): string {
  return nodePublicKey(settings.lightningNodeKeyHex)
}
