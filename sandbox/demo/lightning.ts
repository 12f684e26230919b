import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureLnd } from '../lnd/build'
import { startLndNetwork, type NetworkNode } from '../lnd/network'
import { keepSettings, type Sandbox } from '../shared/settings'
import { lightningFolder } from './folders'
import type { ProcessGroup } from './process-group'
import { ensureSouthbank, hasSouthbank } from './southbank'

/** Its own folder, because a ledger keeps the node that it began with. */
export const LND_DATA_DIR = join('.data', 'lnd')
/** LND takes a chain without a block for two hours for one that is behind. */
const BLOCK_EVERY_MS = 600_000

/** The real nodes of a demo. */
interface Lightning {
  readonly southbankKey: string
  /** One line for the reader of the demo's output. */
  readonly about: string
}

/** Whether this demo has real nodes from an earlier start. */
export function hasLightning({ settings }: Pick<Sandbox, 'settings'>): boolean {
  return existsSync(lightningFolder(settings.dataDir))
}

/**
 * Starts a node for each VASP, with a channel between them, and stores its settings with those of the VASP, for the commands of
 * operators too. The group stops the nodes after the VASPs.
 * @throws Error with one line that says what to install.
 */
export async function startLightning(
  sandbox: Sandbox,
  group: Pick<ProcessGroup, 'own' | 'thenStop'>,
  say: (line: string) => void,
): Promise<Lightning> {
  const programs = await ensureLnd(say, (child) => group.own({ name: 'build of LND', child }))
  const folder = lightningFolder(sandbox.settings.dataDir)
  const network = await startLndNetwork({
    programs,
    folder,
    nodes: [{ name: 'Northbank' }, { name: 'Southbank' }],
    say,
  })
  group.thenStop(() => network.stop())
  setInterval(() => void network.chain.mine(1).catch(() => undefined), BLOCK_EVERY_MS).unref()
  const [northbankNode, southbankNode] = network.nodes
  if (northbankNode === undefined || southbankNode === undefined) throw new Error('The network lacks a node.')
  keepSettings(sandbox.settings.dataDir, settingsOf(northbankNode))
  if (hasSouthbank(sandbox)) keepSettings(ensureSouthbank(sandbox).settings.dataDir, settingsOf(southbankNode))
  return {
    southbankKey: southbankNode.publicKeyHex,
    about: `Lightning: real LND nodes with one channel, and their chain, in ${folder}`,
  }
}

function settingsOf({ url, macaroonFile, certFile }: NetworkNode): Record<string, string> {
  return { LND_URL: url, LND_MACAROON_FILE: macaroonFile, LND_TLS_CERT_FILE: certFile }
}
