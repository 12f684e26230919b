import { SettingsError } from '../../platform/config'
import * as secp256k1 from '../../platform/secp256k1'
import { nodePublicKey } from '../node-key'

/** The node's own key. */
export interface NodeKey {
  readonly publicKeyHex: string
  /** ECDSA over SHA-256 of the text: 64 bytes, hex. */
  sign(text: string): string
}

/** A peer's public key, 65 bytes. */
export type PeerKey = Uint8Array

/** @throws SettingsError when the secret is missing or out of the curve's range. */
export function makeNodeKey(secretHex: string | undefined): NodeKey {
  const publicKeyHex = nodePublicKey(secretHex)
  const secret = Buffer.from(secretHex ?? '', 'hex')
  return {
    publicKeyHex,
    sign: (text) => Buffer.from(secp256k1.sign(Buffer.from(text), secret)).toString('hex'),
  }
}

/**
 * A peer's compressed public key (66 hex digits), ready for checking signatures.
 * @throws SettingsError when it is not a point on the curve.
 */
export function readPeerKey(publicKeyHex: string): PeerKey {
  try {
    return secp256k1.uncompressed(Buffer.from(publicKeyHex, 'hex'))
  } catch {
    throw new SettingsError(
      'LIGHTNING_PEERS names a key that is not on the curve: copy the `pubkey` from the /info of that peer.',
    )
  }
}

/** Whether this key signed this text. False for a malformed signature too. */
export function isSignedBy(key: PeerKey, text: string, signatureHex: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signatureHex)) return false
  const signature = Buffer.from(signatureHex, 'hex')
  return secp256k1.isSignedBy(key, Buffer.from(text), { encoding: 'p1363', signature })
}
