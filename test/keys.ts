import { generateKeyPairSync } from 'node:crypto'

/** A new key pair as PEM texts, made at run time: no key is kept in the repository. */
export function newKeyPair(namedCurve = 'P-256'): { privatePem: string; publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return { privatePem: privateKey, publicPem: publicKey }
}

/** A new secret of a Lightning node, hex. */
export function newNodeSecret(): string {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({ format: 'jwk' })
  return Buffer.from(String(jwk.d), 'base64url').toString('hex').padStart(64, '0')
}
