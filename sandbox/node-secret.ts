import { generateKeyPairSync } from 'node:crypto'

/** A new secret of a Lightning node, hex. Always a valid key of the curve, which 32 random bytes might not be. */
export function newNodeSecret(): string {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({ format: 'jwk' })
  return Buffer.from(String(jwk.d), 'base64url').toString('hex').padStart(64, '0')
}
