import type { Settings } from '../../platform/config'
import { openNodeAccounts, type NodeAccounts } from '../../ledger/accounts'
import type { CreditPlanner } from '../credit-planner'
import { nodePublicKey } from '../node-key'
import { makeSimulatedNode, type SimulatedNode, type SimulatedNodeParts } from './node'
import { keepForgettingRefusals } from './old-refusals'
import type { PeerTerms } from './peers'
import type { Post } from './wire-client'

interface Parts extends Pick<SimulatedNodeParts, 'db' | 'clock' | 'log' | 'onMessage' | 'isHeld'> {
  readonly settings: Settings
  /** A peer in this process, in addition to those in the settings. */
  readonly neighbour?: { readonly peer: PeerTerms; readonly post: Post } | undefined
  /** Called with the accounts of the peers, which are opened here, and the public key of the node. */
  readonly creditPlannerFor: (nodeAccounts: NodeAccounts, publicKeyHex: string) => CreditPlanner
}

/**
 * Opens the simulated node of the settings and a ledger account for each of its peers. Old refusals are deleted while it runs.
 * @throws SettingsError for a key that is not a point on the curve.
 */
export async function openSimulatedNode({ settings, creditPlannerFor, neighbour, ...parts }: Parts): Promise<{
  readonly simulatedNode: SimulatedNode
  readonly nodeAccounts: NodeAccounts
}> {
  const { db, log } = parts
  const { lightningNodeKeyHex: secretHex, lightningPeers } = settings
  const peers = neighbour === undefined ? lightningPeers : [...lightningPeers, neighbour.peer]
  const keys = peers.map(({ publicKeyHex }) => publicKeyHex)
  const nodeAccounts = await openNodeAccounts(db, keys)
  keepForgettingRefusals(db, (error) => log.warn({ error }, 'old refusals were not deleted'))
  const simulatedNode = makeSimulatedNode({
    ...parts,
    secretHex,
    peers,
    publicOrigin: settings.publicOrigin,
    peerLimitMsats: settings.lightningPeerLimitMsats,
    creditPlanner: creditPlannerFor(nodeAccounts, nodePublicKey(secretHex)),
    rateLimits: settings.rateLimits,
    ...(neighbour && { post: neighbour.post }),
  })
  return { simulatedNode, nodeAccounts }
}
