import {
  ECDH,
  createCipheriv,
  createDecipheriv,
  createECDH,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { CURVE, type UmaKey } from './keys'

/** The field of secp256k1 (SEC 2, 2.4.1). */
const FIELD = 2n ** 256n - 2n ** 32n - 977n
const POINT_BYTES = 65
const NONCE_BYTES = 16
const TAG_BYTES = 16

/**
 * ECIES as UMA uses it (UMAD-05, the defaults of eciesjs and eciespy 0.4): secp256k1, HKDF-SHA256 over both points, uncompressed,
 * and AES-256-GCM with a nonce of 16 bytes; written as ephemeral key, nonce, tag, text. By node:crypto, because the curve in
 * JavaScript takes a hundred times as long, and every payment encrypts and decrypts once.
 * @param publicKeyHex 65 bytes, hex. @throws Error for what is no point of the curve.
 */
export function encryptFor(publicKeyHex: string, text: string): Buffer {
  const theirs = Buffer.from(publicKeyHex, 'hex')
  const once = createECDH(CURVE)
  const own = once.generateKeys()
  const key = keyOf(own, sharedPoint(once, theirs))
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([own, nonce, cipher.getAuthTag(), sealed])
}

/** @throws Error when it was encrypted for another key, or was changed. */
export function decryptWith({ keyObject }: UmaKey, bytes: Buffer): string {
  const once = bytes.subarray(0, POINT_BYTES)
  if (once.length !== POINT_BYTES || once[0] !== 4) throw new Error('there is no ephemeral key')
  const x = diffieHellman({ privateKey: keyObject, publicKey: publicKeyOf(once) })
  // Only the tag tells which of the two points with this x it was.
  const points = [pointOf(x, 'even'), pointOf(x, 'odd')]
  const texts = points.flatMap((point) => opened(keyOf(once, point), bytes.subarray(POINT_BYTES)) ?? [])
  if (texts[0] === undefined) throw new Error('it does not open')
  return texts[0].toString('utf8')
}

/**
 * OpenSSL tells the x of the shared point and not its y. The next multiple is this point and theirs added together, and its x
 * fits to one of the two y only: (y − y₁)² = (x₃ + x + x₁)(x − x₁)².
 */
function sharedPoint(once: ECDH, theirs: Buffer): Buffer {
  const x = once.computeSecret(theirs)
  const next = createECDH(CURVE)
  next.setPrivateKey((numberOf(once.getPrivateKey()) + 1n).toString(16).padStart(64, '0'), 'hex')
  const [x1, y1] = [numberOf(theirs.subarray(1, 33)), numberOf(theirs.subarray(33))]
  const [x3, x2] = [numberOf(next.computeSecret(theirs)), numberOf(x)]
  const fits = (point: Buffer): boolean => {
    const y2 = numberOf(point.subarray(33))
    return ((y2 - y1) ** 2n - (x3 + x2 + x1) * (x2 - x1) ** 2n) % FIELD === 0n
  }
  const even = pointOf(x, 'even')
  return fits(even) ? even : pointOf(x, 'odd')
}

function pointOf(x: Buffer, y: 'even' | 'odd'): Buffer {
  const compressed = Buffer.concat([Buffer.from([y === 'even' ? 2 : 3]), x])
  return ECDH.convertKey(compressed, CURVE, undefined, undefined, 'uncompressed') as Buffer
}

function publicKeyOf(point: Buffer): ReturnType<typeof createPublicKey> {
  const part = (from: number): string => point.subarray(from, from + 32).toString('base64url')
  return createPublicKey({ key: { kty: 'EC', crv: CURVE, x: part(1), y: part(33) }, format: 'jwk' })
}

function keyOf(once: Buffer, shared: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.concat([once, shared]), Buffer.alloc(0), Buffer.alloc(0), 32))
}

function opened(key: Buffer, sealed: Buffer): Buffer | undefined {
  const [nonce, rest] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES)]
  if (rest.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(rest.subarray(0, TAG_BYTES))
  const text = decipher.update(rest.subarray(TAG_BYTES))
  try {
    decipher.final()
    return text
  } catch {
    return undefined
  }
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}
