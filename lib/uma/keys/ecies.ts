import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { newKeyPair, sharedPoint } from '../../platform/secp256k1'
import type { UmaKey } from '../types'

const POINT_BYTES = 65
const NONCE_BYTES = 16
const TAG_BYTES = 16

/**
 * Encrypts with ECIES as UMA uses it (UMAD-05, the defaults of eciesjs and eciespy 0.4): secp256k1, HKDF-SHA256 over
 * the ephemeral public key and the shared point (both uncompressed), AES-256-GCM with a nonce of 16 bytes.
 * @param publicKeyHex of the recipient: 65 bytes, hex.
 * @returns ephemeral public key, nonce, tag and ciphertext.
 * @throws Error for a key that is not a point on the curve.
 */
export function encryptFor(publicKeyHex: string, text: string): Buffer {
  const { secret, point: ephemeral } = newKeyPair()
  const key = messageKey(ephemeral, sharedPoint(Buffer.from(publicKeyHex, 'hex'), secret))
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([ephemeral, nonce, cipher.getAuthTag(), encrypted])
}

/** Decrypts a message from `encryptFor`. @throws Error when it was encrypted for another key, or was changed. */
export function decryptWith({ secret }: Pick<UmaKey, 'secret'>, message: Buffer): string {
  const ephemeral = message.subarray(0, POINT_BYTES)
  const key = messageKey(ephemeral, sharedPoint(ephemeral, secret))
  const tagAt = POINT_BYTES + NONCE_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, message.subarray(POINT_BYTES, tagAt), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(message.subarray(tagAt, tagAt + TAG_BYTES))
  return Buffer.concat([decipher.update(message.subarray(tagAt + TAG_BYTES)), decipher.final()]).toString('utf8')
}

function messageKey(ephemeral: Uint8Array, shared: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeral, shared]), Buffer.alloc(0), Buffer.alloc(0), 32))
}
