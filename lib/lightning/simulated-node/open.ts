import { openNodeAccounts } from '../../ledger/accounts'
import type { Settings } from '../../platform/config'
import { nodePublicKey } from '../node-key'
import type { NodeChoice } from '../opened-node'
import { requireOwnKey } from '../own-key'
import { makeSimulatedNode } from './node'
import { scheduleRefusalCleanup } from './old-refusals'
import { scheduleTotalsCheck } from './peer-totals'

/**
 * The simulated node of the settings, with a ledger account for each of its peers. While it runs, old refusals are deleted and
 * totals are compared with the peers.
 */
export function simulatedNode(settings: Settings): NodeChoice {
  const { lightningNodeKeyHex: secretHex, lightningPeers } = settings
  return {
    books: 'here',
    accountKeys: lightningPeers.map(({ publicKeyHex }) => publicKeyHex),
    check: () => void nodePublicKey(secretHex),
    async open({ creditPlannerFor, testPeer, ...parts }) {
      const { db, log } = parts
      const ownKey = nodePublicKey(secretHex)
      await requireOwnKey(db, ownKey)
      const peers = testPeer === undefined ? lightningPeers : [...lightningPeers, testPeer.peer]
      const accounts = await openNodeAccounts(
        db,
        peers.map(({ publicKeyHex }) => publicKeyHex),
      )
      const node = makeSimulatedNode({
        ...parts,
        secretHex,
        peers,
        publicOrigin: settings.publicOrigin,
        peerLimitMsats: settings.lightningPeerLimitMsats,
        creditPlanner: creditPlannerFor(accounts, ownKey),
        rateLimits: settings.rateLimits,
        ...(testPeer && { post: testPeer.post }),
      })
      scheduleRefusalCleanup(db, (error) => log.warn({ error }, 'old refusals were not deleted'))
      scheduleTotalsCheck(node.totals)
      return { node, accounts, peers: lightningPeers, simulated: node }
    },
  }
}
