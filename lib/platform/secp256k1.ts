/** The curve of Bitcoin, of Lightning nodes and of UMA (SEC 2, 2.4.1). */
export const CURVE = 'secp256k1'

/** A type and not an interface, because Node's JWK type does not accept an interface. */
type PublicJwk = {
  readonly kty: 'EC'
  readonly crv: typeof CURVE
  readonly x: string
  readonly y: string
}

/** A public key as a JWK (RFC 8812), from 65 bytes: the byte 4, then both coordinates. */
export function publicJwk(point: Buffer): PublicJwk {
  const part = (from: number): string => point.subarray(from, from + 32).toString('base64url')
  return { kty: 'EC', crv: CURVE, x: part(1), y: part(33) }
}

/** The key pair as a JWK, from the 32 bytes of the secret: an ECDH object drops leading zeros. */
export function secretJwk(secret: Buffer, point: Buffer): PublicJwk & { readonly d: string } {
  return { ...publicJwk(point), d: secret.toString('base64url') }
}
