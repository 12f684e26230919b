import { createHash, createPublicKey, randomInt, sign, verify, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import { newPrivateKey, nowSeconds } from './jwt.ts'

/** The kit as a sending VASP: it has UMA keys of its own, and serves them. */
export interface UmaSender {
  /** Host and port at which the VASP reads the keys. */
  readonly domain: string
  /** The query of a signed lookup request for an address. */
  lookupQuery(receiver: string, changes?: Partial<LookupParts>): string
  /** `compliance` of a pay request. */
  compliance(payer: string): Record<string, unknown>
  close(): Promise<void>
}

export interface LookupParts {
  readonly nonce: string
  readonly timestamp: number
  readonly umaVersion: string
  /** DER, in hex. */
  readonly signature: string
}

/** Listens and serves `/.well-known/lnurlpubkey`. */
export async function startUmaSender(origin: URL): Promise<UmaSender> {
  const privateKey = newPrivateKey('secp256k1')
  const hex = publicKeyHex(createPublicKey(privateKey))
  const document = JSON.stringify({
    signingPubKey: hex,
    encryptionPubKey: hex,
    expirationTimestamp: nowSeconds() + 300,
  })
  const server = createServer((request, response) => {
    const isKeys = request.url === '/.well-known/lnurlpubkey'
    response.writeHead(isKeys ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(isKeys ? document : '{"status":"ERROR","reason":"not found"}')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(origin.port || 80), origin.hostname, resolve)
  })
  const signText = (text: string): string => sign('sha256', Buffer.from(text), privateKey).toString('hex')
  return {
    domain: origin.host,
    lookupQuery(receiver, changes = {}) {
      const { nonce = newNonce(), timestamp = nowSeconds(), umaVersion = '1.0' } = changes
      const signature = changes.signature ?? signText(`${receiver}|${nonce}|${timestamp}`)
      return new URLSearchParams({
        signature,
        vaspDomain: origin.host,
        nonce,
        isSubjectToTravelRule: 'false',
        timestamp: String(timestamp),
        umaVersion,
      }).toString()
    },
    compliance(payer) {
      const [signatureNonce, signatureTimestamp] = [newNonce(), nowSeconds()]
      return {
        kycStatus: 'VERIFIED',
        utxos: [],
        signatureNonce,
        signatureTimestamp,
        signature: signText(`${payer}|${signatureNonce}|${signatureTimestamp}`),
        utxoCallback: `${origin.origin}/utxo-callback`,
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

export function newNonce(): string {
  return String(randomInt(1, 4_294_967_295))
}

/** 65 bytes, uncompressed. */
function publicKeyHex(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return `04${Buffer.from(x, 'base64url').toString('hex')}${Buffer.from(y, 'base64url').toString('hex')}`
}

/** A secp256k1 key from 65 uncompressed bytes in hex; undefined for any other text. */
export function readUmaKey(hex: string): KeyObject | undefined {
  if (!/^04[0-9a-f]{128}$/i.test(hex)) return undefined
  const part = (from: number): string => Buffer.from(hex.slice(from, from + 64), 'hex').toString('base64url')
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: part(2), y: part(66) }, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Whether this key created the signature of a text. The signature is DER, in hex. */
export function hasUmaSignature(text: string, signatureHex: string, key: KeyObject): boolean {
  try {
    return verify('sha256', Buffer.from(text), key, Buffer.from(signatureHex, 'hex'))
  } catch {
    return false
  }
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
