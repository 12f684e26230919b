import type { Settings } from '../../platform/config'
import { openNodeAccounts, type NodeAccounts } from '../../ledger/accounts'
import type { Receiver } from '../receiver'
import { nodePublicKey } from '../node-key'
import { makeSandboxNode, type SandboxNode, type SandboxNodeParts } from './node'
import { keepForgettingRefusals } from './old-refusals'

interface Parts extends Pick<SandboxNodeParts, 'db' | 'clock' | 'log'> {
  readonly settings: Settings
  /** Needs the accounts of the peers, which are opened here, and the key of the node. */
  readonly receiverFor: (nodeAccounts: NodeAccounts, publicKeyHex: string) => Receiver
}

/** The sandbox node of the settings, with a ledger account for each of its peers. Its old refusals go while it runs. */
export async function openSandboxNode({ settings, receiverFor, ...parts }: Parts): Promise<{
  readonly sandboxNode: SandboxNode
  readonly nodeAccounts: NodeAccounts
}> {
  const { db, log } = parts
  const { lightningNodeKeyHex: secretHex, lightningPeers: peers } = settings
  const keys = peers.map(({ publicKeyHex }) => publicKeyHex)
  const nodeAccounts = await openNodeAccounts(db, keys)
  keepForgettingRefusals(db, (error) => log.warn({ error }, 'old refusals were not deleted'))
  const sandboxNode = makeSandboxNode({
    ...parts,
    secretHex,
    peers,
    publicOrigin: settings.publicOrigin,
    peerLimitMsats: settings.lightningPeerLimitMsats,
    receiver: receiverFor(nodeAccounts, nodePublicKey(secretHex)),
    rateLimits: settings.rateLimits,
  })
  return { sandboxNode, nodeAccounts }
}
