import { createHmac, createPrivateKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** Reads a token without verifying it; undefined for text that is not a JWT. */
export function decodeToken(token: string): DecodedToken | undefined {
  const parts = token.split('.')
  const [header, claims] = parts.slice(0, 2).map(readPart)
  return parts.length === 3 && header !== undefined && claims !== undefined ? { header, claims } : undefined
}

function readPart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Whether this key created the signature with ES256, whatever the header states. */
export function hasSignatureOf(token: string, key: KeyObject): boolean {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  return (
    bytes.length === 64 &&
    verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, bytes)
  )
}

/** Signs claims with ES256. */
export function signToken(claims: object, key: KeyObject, header: object = { alg: 'ES256', typ: 'JWT' }): string {
  const signed = `${encode(header)}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** A token with `alg` none and an empty signature. */
export function unsignedToken(claims: object): string {
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`
}

/** A token signed with HS256, with the text of the public key as the secret. */
export function hmacToken(claims: object, publicKeyPem: string): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', publicKeyPem).update(signed).digest('base64url')}`
}

/** The same token with other claims and the old signature. */
export function withOtherClaims(token: string, changes: object): string {
  const [header = '', , signature = ''] = token.split('.')
  return `${header}.${encode({ ...decodeToken(token)?.claims, ...changes })}.${signature}`
}

/** A P-256 key that no VASP knows. */
export function newForeignKey(): KeyObject {
  return newPrivateKey('P-256')
}

/**
 * A new private key that is read from PEM. On Node 20, exporting a key of `generateKeyPair` as JWK can stop the process forever:
 * the export holds the lock of the key, and a garbage collection that begins meanwhile waits for the same lock.
 */
export function newPrivateKey(namedCurve: 'P-256' | 'secp256k1'): KeyObject {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return createPrivateKey(privateKey)
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
