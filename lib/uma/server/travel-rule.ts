import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { decryptWith } from '../keys/ecies'
import { umaFault } from '../fault'
import { derivedKey } from '../keys/keys'
import type { UmaKey } from '../types'

/** The travel rule data about a payer, as the payer's VASP wrote it. Never logged. */
export interface TravelRule {
  /** `protocol@version`; null for free text. */
  readonly format: string | null
  readonly text: string
}

const MAX_BYTES = 16 * 1024
/**
 * The limit for the JSON text before encryption, in which a control character takes six bytes. The table accepts 64 kB.
 */
const MAX_KEPT_BYTES = 60 * 1024
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Decrypts travel rule data for this VASP (UMAD-05: ECIES, hex).
 * @throws UmaFault INVALID_INPUT when it is too large, or was encrypted for another key.
 */
export function openTravelRule(key: UmaKey, hex: string, format: string | null): TravelRule {
  if (hex.length > 2 * MAX_BYTES || !/^(?:[0-9a-f]{2})+$/i.test(hex)) throw unreadable()
  const rule = { format, text: decrypted(key, hex) }
  if (Buffer.byteLength(written(rule)) > MAX_KEPT_BYTES) throw unreadable()
  return rule
}

function decrypted(key: UmaKey, hex: string): string {
  try {
    return decryptWith(key, Buffer.from(hex, 'hex'))
  } catch {
    // The cause may quote the content.
    throw unreadable()
  }
}

function written({ format, text }: TravelRule): string {
  return JSON.stringify({ format, text })
}

function unreadable(): Error {
  return umaFault('INVALID_INPUT', 'The travel rule information is not encrypted for this VASP, or is too large.')
}

/**
 * Encrypts travel rule data for storage: AES-256-GCM with our own key, bound to the invoice for which it arrived.
 */
export function seal(key: UmaKey, rule: TravelRule, paymentHash: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', restKey(key), nonce).setAAD(Buffer.from(paymentHash))
  const sealed = Buffer.concat([cipher.update(written(rule)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** @throws Error when it was encrypted with another key, or for another invoice. */
export function unseal(key: UmaKey, sealed: Uint8Array, paymentHash: string): TravelRule {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', restKey(key), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(paymentHash))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString('utf8')) as TravelRule
}

function restKey(key: UmaKey): Buffer {
  return derivedKey(key, 'uma travel rule at rest')
}
