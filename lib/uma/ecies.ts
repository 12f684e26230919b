import {
  ECDH,
  createCipheriv,
  createDecipheriv,
  createECDH,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import type { Clock } from '../platform/clock'
import { setBounded } from '../platform/concurrency/bounded-map'
import { CURVE, publicJwk } from '../platform/secp256k1'
import type { UmaKey } from './keys'

/** The field of secp256k1 (SEC 2, 2.4.1). */
const FIELD = 2n ** 256n - 2n ** 32n - 977n
const POINT_BYTES = 65
const NONCE_BYTES = 16
const TAG_BYTES = 16

/** An ephemeral key pair serves one receiver for so long: making it and what it shares takes OpenSSL three milliseconds. */
const PAIR_LIVES_MS = 60_000
const MOST_KEPT = 1_000

/**
 * ECIES as UMA uses it (UMAD-05, the defaults of eciesjs and eciespy 0.4): secp256k1, HKDF-SHA256 over both points, uncompressed,
 * and AES-256-GCM with a nonce of 16 bytes; written as ephemeral key, nonce, tag, text. By node:crypto, because the curve in
 * JavaScript takes a hundred times as long, and every payment encrypts and decrypts once.
 *
 * Messages to one receiver share a key for a minute, parted by their random nonces of 128 bits. Who can take that key from this
 * process can take the messages too, and whoever has the receiver's key opens all of them in any case.
 */
export interface Ecies {
  /** @param publicKeyHex 65 bytes, hex. @throws Error for what is no point of the curve. */
  encryptFor(publicKeyHex: string, text: string): Buffer
  /** @throws Error when it was encrypted for another key, or was changed. */
  decryptWith(key: UmaKey, bytes: Buffer): string
}

interface Shared {
  /** Of AES. */
  readonly key: Buffer
  readonly until: number
}

interface OwnShared extends Shared {
  /** The ephemeral public key. */
  readonly point: Buffer
}

export function makeEcies(clock: Clock): Ecies {
  const toOthers = new Map<string, OwnShared>()
  /** By both public keys. */
  const fromOthers = new Map<string, Shared>()
  const now = (): number => clock.now().getTime()
  const current = <Kept extends Shared>(kept: Kept | undefined): Kept | undefined =>
    kept !== undefined && now() < kept.until ? kept : undefined

  function shareWith(publicKeyHex: string): OwnShared {
    const once = createECDH(CURVE)
    const point = once.generateKeys()
    const key = keyOf(point, sharedPoint(once, Buffer.from(publicKeyHex, 'hex')))
    const made = { point, key, until: now() + PAIR_LIVES_MS }
    setBounded(toOthers, publicKeyHex, made, MOST_KEPT)
    return made
  }

  return {
    encryptFor(publicKeyHex, text) {
      const { point, key } = current(toOthers.get(publicKeyHex)) ?? shareWith(publicKeyHex)
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([point, nonce, cipher.getAuthTag(), sealed])
    },
    decryptWith({ keyObject, publicKeyHex }, bytes) {
      const point = bytes.subarray(0, POINT_BYTES)
      if (point.length !== POINT_BYTES || point[0] !== 4) throw new Error('there is no ephemeral key')
      const id = publicKeyHex + point.toString('hex')
      const sealed = bytes.subarray(POINT_BYTES)
      const known = current(fromOthers.get(id))
      const keys = known === undefined ? sharedKeys(keyObject, point) : [known.key]
      for (const key of keys) {
        const text = opened(key, sealed)
        if (text === undefined) continue
        if (known === undefined) setBounded(fromOthers, id, { key, until: now() + PAIR_LIVES_MS }, MOST_KEPT)
        return text.toString('utf8')
      }
      throw new Error('it does not open')
    },
  }
}

/** Only the tag of a message tells which of the two points with this x it was. */
function sharedKeys(privateKey: KeyObject, point: Buffer): Buffer[] {
  const x = diffieHellman({ privateKey, publicKey: publicKeyOf(point) })
  return [keyOf(point, pointOf(x, 'even')), keyOf(point, pointOf(x, 'odd'))]
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
  return createPublicKey({ key: publicJwk(point), format: 'jwk' })
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
