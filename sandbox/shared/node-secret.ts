import { createECDH } from 'node:crypto'

/** A new secret of a Lightning node, hex. Always a valid key of the curve, which 32 random bytes might not be. */
export function newNodeSecret(): string {
  const key = createECDH('secp256k1')
  key.generateKeys()
  return key.getPrivateKey('hex').padStart(64, '0')
}
