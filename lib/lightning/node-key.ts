import { createECDH, ECDH } from 'node:crypto'
import { SettingsError } from '../platform/config'
import { CURVE } from '../platform/secp256k1'

/**
 * The node's public key, 33 bytes compressed, hex: the key in `/info` that signs invoices.
 * @throws SettingsError when the secret is missing or not a valid secp256k1 private key.
 */
export function nodePublicKey(secretHex: string | undefined): string {
  if (secretHex === undefined) {
    throw new SettingsError(
      'LIGHTNING_NODE_KEY is missing: run `npm run demo` once, which creates one, or set 64 random hex digits.',
    )
  }
  const key = createECDH(CURVE)
  try {
    key.setPrivateKey(Buffer.from(secretHex, 'hex'))
  } catch {
    throw new SettingsError('LIGHTNING_NODE_KEY is not a secp256k1 private key: set 64 random hex digits.')
  }
  return key.getPublicKey('hex', 'compressed')
}

/** Whether 33 compressed bytes, in hex, are a point on the curve. */
export function isNodeKey(publicKeyHex: string): boolean {
  try {
    ECDH.convertKey(publicKeyHex, CURVE, 'hex', 'hex', 'uncompressed')
    return true
  } catch {
    return false
  }
}
