import { createHash, randomBytes } from 'node:crypto'
import secp256k1 from 'secp256k1'

/** The curve of Bitcoin, of Lightning nodes and of UMA (SEC 2, 2.4.1). */
export const CURVE = 'secp256k1'

const POINT_BYTES = 65
const UNCOMPRESSED = 4

/** A type and not an interface, because Node's JWK type does not accept an interface. */
type SecretJwk = {
  readonly kty: 'EC'
  readonly crv: typeof CURVE
  readonly x: string
  readonly y: string
  readonly d: string
}

/** The key pair as a JWK (RFC 8812), from the 32 bytes of the secret: an ECDH object drops leading zeros. */
export function secretJwk(secret: Buffer, point: Buffer): SecretJwk {
  const part = (from: number): string => point.subarray(from, from + 32).toString('base64url')
  return { kty: 'EC', crv: CURVE, x: part(1), y: part(33), d: secret.toString('base64url') }
}

/** A new secret, and its public key of 65 bytes. */
export function newKeyPair(): { readonly secret: Uint8Array; readonly point: Uint8Array } {
  const secret = randomBytes(32)
  return secp256k1.privateKeyVerify(secret) ? { secret, point: secp256k1.publicKeyCreate(secret, false) } : newKeyPair()
}

/** A compressed public key (33 bytes) as 65 bytes. @throws Error when it is not a point on the curve. */
export function uncompressed(publicKey: Uint8Array): Uint8Array {
  return secp256k1.publicKeyConvert(publicKey, false)
}

/**
 * The point that two key pairs share (ECDH), 65 bytes. @param point the other side's public key: 04, then both coordinates.
 * @throws Error when it is not a point on the curve, or is in another encoding.
 */
export function sharedPoint(point: Uint8Array, secret: Uint8Array): Uint8Array {
  if (!isUncompressed(point)) throw new Error('the public key is not an uncompressed point')
  // Without this function the result would be a hash.
  const hashfn = (x: Uint8Array, y: Uint8Array): Uint8Array => Buffer.concat([Buffer.of(UNCOMPRESSED), x, y])
  return secp256k1.ecdh(point, secret, { hashfn }, new Uint8Array(POINT_BYTES))
}

/** ECDSA over SHA-256: r and s with a fixed length of 32 bytes each (IEEE P1363). */
export function sign(content: Uint8Array, secret: Uint8Array): Uint8Array {
  return secp256k1.ecdsaSign(sha256(content), secret).signature
}

/**
 * Whether this key signed this content. Accepts both values of s, as other libraries create them. False for a malformed
 * signature, and for a key that is not 04 and the coordinates of a point on the curve.
 */
export function isSignedBy(
  point: Uint8Array,
  content: Uint8Array,
  { encoding, signature }: { readonly encoding: 'der' | 'p1363'; readonly signature: Uint8Array },
): boolean {
  if (!isUncompressed(point)) return false
  try {
    const compact = encoding === 'der' ? secp256k1.signatureImport(signature) : Uint8Array.from(signature)
    return secp256k1.ecdsaVerify(secp256k1.signatureNormalize(compact), sha256(content), point)
  } catch {
    return false
  }
}

/**
 * The compressed key (33 bytes) that signed this content. @param signature r, s and the recovery ID: 65 bytes.
 * @throws Error when there is no such key.
 */
export function signerOf(content: Uint8Array, signature: Uint8Array): Uint8Array {
  return secp256k1.ecdsaRecover(signature.subarray(0, 64), signature[64] ?? -1, sha256(content))
}

/** The library also accepts hybrid encodings (06, 07), which UMA does not use. */
function isUncompressed(point: Uint8Array): boolean {
  return point.length === POINT_BYTES && point[0] === UNCOMPRESSED
}

function sha256(content: Uint8Array): Uint8Array {
  return createHash('sha256').update(content).digest()
}
