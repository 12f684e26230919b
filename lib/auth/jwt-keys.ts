import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { SettingsError, type Settings } from '../settings'

/** The ES256 keys of the bearer tokens. Either may be missing: the server then runs and answers the 500s that say so. */
export interface JwtKeys {
  readonly signing: KeyObject | undefined
  /** Newest first; a token is good when one of them verifies it. Empty when no public key is configured. */
  readonly verification: readonly KeyObject[]
}

/**
 * Reads the configured PEM texts.
 * @throws SettingsError when a key is there but is not P-256, is encrypted, is of the wrong kind, or the pair does not fit.
 */
export function loadJwtKeys(
  settings: Pick<Settings, 'jwtPrivateKeyPem' | 'jwtPublicKeyPem' | 'jwtPublicKeyPreviousPem'>,
): JwtKeys {
  const signing = readKey('JWT_PRIVATE_KEY', settings.jwtPrivateKeyPem)
  const current = readKey('JWT_PUBLIC_KEY', settings.jwtPublicKeyPem)
  const previous = readKey('JWT_PUBLIC_KEY_PREVIOUS', settings.jwtPublicKeyPreviousPem)
  if (signing !== undefined && current !== undefined && !isPair(signing, current)) {
    throw new SettingsError('JWT_PUBLIC_KEY does not fit JWT_PRIVATE_KEY: set the public half of the same key pair.')
  }
  return { signing, verification: [current, previous].filter((key) => key !== undefined) }
}

type KeyVariable = 'JWT_PRIVATE_KEY' | 'JWT_PUBLIC_KEY' | 'JWT_PUBLIC_KEY_PREVIOUS'

function readKey(variable: KeyVariable, pem: string | undefined): KeyObject | undefined {
  if (pem === undefined) return undefined
  const wantsPrivate = variable === 'JWT_PRIVATE_KEY'
  const kind = wantsPrivate ? 'private' : 'public'
  // createPublicKey would quietly derive a public key from a private one, and a private key must not sit in that setting.
  if (/PRIVATE KEY/.test(pem) !== wantsPrivate) {
    throw new SettingsError(
      `${variable} is not a ${kind} key: set the PEM text that begins with -----BEGIN ${kind.toUpperCase()} KEY-----.`,
    )
  }
  let key: KeyObject
  try {
    key = wantsPrivate ? createPrivateKey(pem) : createPublicKey(pem)
  } catch {
    throw new SettingsError(
      `${variable} cannot be read: set an unencrypted PEM ${kind} key, line ends may be written as \\n.`,
    )
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new SettingsError(`${variable} is not a P-256 key: ES256 needs the curve prime256v1.`)
  }
  return key
}

function isPair(privateKey: KeyObject, publicKey: KeyObject): boolean {
  const probe = Buffer.from('do these two keys belong together?')
  return verify('sha256', probe, publicKey, sign('sha256', probe, privateKey))
}
