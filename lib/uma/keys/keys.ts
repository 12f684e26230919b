import { createECDH, createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto'
import { CURVE, secretJwk } from '../../platform/secp256k1'
import { SettingsError, type Settings } from '../../platform/config'

/** A secret of the curve secp256k1, in the forms in which it is asked for. */
export interface UmaKey {
  readonly secret: Uint8Array
  /** 65 bytes, uncompressed, hex: 04, then both coordinates. */
  readonly publicKeyHex: string
  readonly keyObject: KeyObject
}

/** What signs our messages, and what opens that which is meant for us alone (UMAD-02). */
export interface UmaKeys {
  readonly signing: UmaKey
  readonly encryption: UmaKey
}

type KeySettings = Pick<Settings, 'umaSigningKeyHex' | 'umaEncryptionKeyHex'>

/**
 * The keys of the settings; undefined where there are none, and no other VASP is spoken to.
 * @throws SettingsError when one is missing beside the other, or is no number of the curve.
 */
export function loadUmaKeys({ umaSigningKeyHex, umaEncryptionKeyHex }: KeySettings): UmaKeys | undefined {
  if (umaSigningKeyHex === undefined && umaEncryptionKeyHex === undefined) return undefined
  return {
    signing: readKey('UMA_SIGNING_KEY', umaSigningKeyHex),
    encryption: readKey('UMA_ENCRYPTION_KEY', umaEncryptionKeyHex),
  }
}

/** A key for one purpose of our own: never the secret itself, which signs or opens what is another's too (RFC 5869). */
export function derivedKey({ secret }: Pick<UmaKey, 'secret'>, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32))
}

function readKey(variable: string, secretHex: string | undefined): UmaKey {
  if (secretHex === undefined)
    throw new SettingsError(`${variable} is missing beside the other UMA key: set 64 random hex digits.`)
  const ecdh = createECDH(CURVE)
  try {
    ecdh.setPrivateKey(secretHex, 'hex')
  } catch {
    throw new SettingsError(`${variable} is not a ${CURVE} secret: set 64 random hex digits.`)
  }
  const point = ecdh.getPublicKey()
  const secret = Buffer.from(secretHex, 'hex')
  const keyObject = createPrivateKey({ key: secretJwk(secret, point), format: 'jwk' })
  return { secret, publicKeyHex: point.toString('hex'), keyObject }
}
