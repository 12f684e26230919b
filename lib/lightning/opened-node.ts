import type { NodeAccounts } from '../ledger/accounts'
import type { Clock } from '../platform/clock'
import type { LightningPeer } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import type { CreditPlanner } from './credit-planner'
import type { LightningNode } from './node'
import type { SimulatedNode, SimulatedNodeParts } from './simulated-node/node'
import type { Post } from './simulated-node/peer-client'
import type { PeerTerms } from './simulated-node/peers'

export type { PeerDifference } from './simulated-node/books'
export type { Accepted, PeerTotals } from './simulated-node/peer-totals'
export type { PeerMessage } from './simulated-node/peer-server'

/** Where a node records its sends: `here` means in the ledger's database, where the audit compares both. */
export type NodeBooks = 'here' | 'elsewhere'

/** What the process knows of its node, beside the port. */
export interface OpenedNode {
  readonly node: LightningNode
  /** The ledger account of each key in `node.accounts`. */
  readonly accounts: NodeAccounts
  /** The configured nodes behind the accounts; undefined for a node with one account, its own. */
  readonly peers?: readonly LightningPeer[]
  /** The same node, when it is the simulated one. */
  readonly simulated?: SimulatedNode
}

/** The node that the settings choose. All but `open` is known without a running node, for commands on a stopped instance. */
export interface NodeChoice {
  readonly books: NodeBooks
  /** The keys in `node.accounts`; undefined when only the running node knows them. */
  readonly accountKeys: readonly string[] | undefined
  /** Called before the database is opened. @throws SettingsError when the node's settings cannot be used. */
  check(): void
  /** Opens the node and its ledger accounts. @throws SettingsError as `check` does, Error when the node cannot be opened. */
  open(parts: NodeParts): Promise<OpenedNode>
}

/** What a node may use. */
export interface NodeParts extends Pick<SimulatedNodeParts, 'onMessage' | 'isHeld'> {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  /** A peer in this process, for the simulated node. */
  readonly testPeer?: { readonly peer: PeerTerms; readonly post: Post } | undefined
  /** For a node that asks the ledger before it accepts a payment. Takes the node's accounts and its public key. */
  readonly creditPlannerFor: (accounts: NodeAccounts, publicKeyHex: string) => CreditPlanner
}
