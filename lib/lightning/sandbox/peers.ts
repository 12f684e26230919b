import type { KeyObject } from 'node:crypto'
import type { LightningPeer } from '../../platform/config'
import { readPeerKey } from './keys'

/** A sandbox node of the settings, with the key that checks its signatures. */
export interface PeerNode extends LightningPeer {
  readonly key: KeyObject
}

/** By public key, hex. */
export type PeerNodes = ReadonlyMap<string, PeerNode>

/**
 * The peers by public key, without the node itself: all nodes of a sandbox may have the same list.
 * @throws SettingsError for a key that is not a point of the curve.
 */
export function readPeers(peers: readonly LightningPeer[], ownPublicKeyHex: string): PeerNodes {
  const others = peers.filter(({ publicKeyHex }) => publicKeyHex !== ownPublicKeyHex)
  return new Map(others.map((peer) => [peer.publicKeyHex, { ...peer, key: readPeerKey(peer.publicKeyHex) }]))
}
