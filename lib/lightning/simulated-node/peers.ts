import type { LightningPeer } from '../../platform/config'
import { readPeerKey, type PeerKey } from './keys'

/** A node that this node pays and is paid by. */
export interface PeerTerms extends LightningPeer {
  /** The maximum that the peer may owe us, in msats; undefined for the limit in the settings. */
  readonly limitMsats?: bigint
}

/** A peer with the key that checks its signatures. */
export interface PeerNode extends PeerTerms {
  readonly key: PeerKey
}

/** By public key, hex. */
export type PeerNodes = ReadonlyMap<string, PeerNode>

/**
 * The peers by public key, without the node itself: all nodes of a sandbox may have the same list.
 * @throws SettingsError for a key that is not a point on the curve.
 */
export function readPeers(peers: readonly PeerTerms[], ownPublicKeyHex: string): PeerNodes {
  const others = peers.filter(({ publicKeyHex }) => publicKeyHex !== ownPublicKeyHex)
  return new Map(others.map((peer) => [peer.publicKeyHex, { ...peer, key: readPeerKey(peer.publicKeyHex) }]))
}
