import { createPrivateKey, createPublicKey, ECDH, sign, verify, type KeyObject } from 'node:crypto'
import { SettingsError } from '../../platform/config'
import { CURVE, publicJwk, secretJwk } from '../../platform/secp256k1'
import { nodePublicKey } from '../node-key'

/** r and s with a fixed length of 32 bytes each (IEEE P1363). */
const FORM = 'ieee-p1363'

/** The node's own key. */
export interface NodeKey {
  readonly publicKeyHex: string
  /** ECDSA over SHA-256 of the text: 64 bytes, hex. */
  sign(text: string): string
}

/** @throws SettingsError when the secret is missing or out of the curve's range. */
export function makeNodeKey(secretHex: string | undefined): NodeKey {
  const publicKeyHex = nodePublicKey(secretHex)
  const point = uncompressed(publicKeyHex)
  const key = createPrivateKey({ key: secretJwk(Buffer.from(secretHex ?? '', 'hex'), point), format: 'jwk' })
  return {
    publicKeyHex,
    sign: (text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: FORM }).toString('hex'),
  }
}

/**
 * A peer's compressed public key (66 hex digits), ready for checking signatures.
 * @throws SettingsError when it is not a point on the curve.
 */
export function readPeerKey(publicKeyHex: string): KeyObject {
  try {
    return createPublicKey({ key: publicJwk(uncompressed(publicKeyHex)), format: 'jwk' })
  } catch {
    throw new SettingsError(
      'LIGHTNING_PEERS names a key that is not on the curve: copy the `pubkey` from the /info of that peer.',
    )
  }
}

/** Whether this key signed this text. False for a malformed signature too. */
export function isSignedBy(key: KeyObject, text: string, signatureHex: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signatureHex)) return false
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: FORM }, Buffer.from(signatureHex, 'hex'))
}

function uncompressed(publicKeyHex: string): Buffer {
  return ECDH.convertKey(publicKeyHex, CURVE, 'hex', undefined, 'uncompressed') as Buffer
}
