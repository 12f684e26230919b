import type { KeyObject } from 'node:crypto'
import type { LightningPeer } from '../../platform/config'
import { readPeerKey } from './keys'

/** Another sandbox node, as the settings name it. */
export interface Peer {
  readonly publicKeyHex: string
  readonly origin: string
  readonly key: KeyObject
}

export type Peers = ReadonlyMap<string, Peer>

/**
 * The peers by public key. All nodes of a sandbox may be given one list: the node itself is left out of it.
 * @throws SettingsError for a key that is no point of the curve.
 */
export function readPeers(peers: readonly LightningPeer[], ownPublicKeyHex: string): Peers {
  const others = peers.filter(({ publicKeyHex }) => publicKeyHex !== ownPublicKeyHex)
  return new Map(others.map((peer) => [peer.publicKeyHex, { ...peer, key: readPeerKey(peer.publicKeyHex) }]))
}
