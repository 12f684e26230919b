import { createECDH, createPrivateKey, hkdfSync } from 'node:crypto'
import { SettingsError, type Settings } from '../../platform/config'
import { CURVE, secretJwk } from '../../platform/secp256k1'
import type { UmaKey, UmaKeys } from '../types'

type KeySettings = Pick<Settings, 'umaSigningKeyHex' | 'umaEncryptionKeyHex'>

/**
 * The keys in the settings; undefined when neither is set, which turns UMA off.
 * @throws SettingsError when only one is set, or one is not a valid private key.
 */
export function loadUmaKeys({ umaSigningKeyHex, umaEncryptionKeyHex }: KeySettings): UmaKeys | undefined {
  if (umaSigningKeyHex === undefined && umaEncryptionKeyHex === undefined) return undefined
  return {
    signing: readKey('UMA_SIGNING_KEY', umaSigningKeyHex),
    encryption: readKey('UMA_ENCRYPTION_KEY', umaEncryptionKeyHex),
  }
}

/** Derives a key for one internal purpose (RFC 5869), so that only protocol messages use the secret itself. */
export function derivedKey({ secret }: Pick<UmaKey, 'secret'>, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32))
}

function readKey(variable: string, secretHex: string | undefined): UmaKey {
  if (secretHex === undefined)
    throw new SettingsError(`${variable} is missing, but the other UMA key is present: set 64 random hex digits.`)
  const ecdh = createECDH(CURVE)
  try {
    ecdh.setPrivateKey(secretHex, 'hex')
  } catch {
    throw new SettingsError(`${variable} is not a ${CURVE} private key: set 64 random hex digits.`)
  }
  const point = ecdh.getPublicKey()
  const secret = Buffer.from(secretHex, 'hex')
  const keyObject = createPrivateKey({ key: secretJwk(secret, point), format: 'jwk' })
  return { secret, publicKeyHex: point.toString('hex'), keyObject }
}
