import { CompactSign, compactVerify, importPKCS8, importSPKI, type CryptoKey } from 'jose'

/** The ES256 keys of the tokens. Either may be missing: the VASP then answers with the 500 that the specification defines (Errors). */
export interface VaspKeys {
  readonly signing: CryptoKey | undefined
  /** Newest first; a token is valid when one of them verifies it. */
  readonly verification: readonly CryptoKey[]
}

/** PEM texts: PKCS #8 for the private key, SPKI for public ones. Line breaks may be written as `\n`. */
export interface KeyTexts {
  readonly privateKey?: string | undefined
  readonly publicKey?: string | undefined
  /** The public key of the replaced pair. Its tokens stay valid. */
  readonly previousPublicKey?: string | undefined
}

/** A key that cannot be used. `key` is its name. The message contains no part of the key. */
export class KeyError extends Error {
  override readonly name = 'KeyError'
  readonly key: keyof KeyTexts
  /** The message without the name of the key. */
  readonly problem: string

  constructor(key: keyof KeyTexts, problem: string) {
    super(`${key} ${problem}`)
    this.key = key
    this.problem = problem
  }
}

/**
 * Reads the keys. Neither is derived from the other.
 * @throws KeyError when a key is not an unencrypted P-256 key of its kind, or the two are not a pair.
 */
export async function importKeys(texts: KeyTexts): Promise<VaspKeys> {
  const signing = await readKey('privateKey', texts.privateKey)
  const current = await readKey('publicKey', texts.publicKey)
  const previous = await readKey('previousPublicKey', texts.previousPublicKey)
  if (signing !== undefined && current !== undefined && !(await isPair(signing, current)))
    throw new KeyError('publicKey', 'does not match the private key: set the public half of the same pair.')
  return { signing, verification: [current, previous].filter((key) => key !== undefined) }
}

async function readKey(key: keyof KeyTexts, text: string | undefined): Promise<CryptoKey | undefined> {
  if (text === undefined || text === '') return undefined
  const pem = text.replaceAll('\\n', '\n').trim()
  const kind = key === 'privateKey' ? 'PRIVATE' : 'PUBLIC'
  if (pem.includes('BEGIN EC PRIVATE KEY') && kind === 'PRIVATE')
    throw new KeyError(key, 'is in SEC1 format: convert it with `openssl pkcs8 -topk8 -nocrypt`.')
  if (!pem.startsWith(`-----BEGIN ${kind} KEY-----`))
    throw new KeyError(
      key,
      `is not an unencrypted ${kind.toLowerCase()} key: set the PEM text that begins with -----BEGIN ${kind} KEY-----.`,
    )
  try {
    return await (kind === 'PRIVATE' ? importPKCS8(pem, 'ES256') : importSPKI(pem, 'ES256'))
  } catch {
    throw new KeyError(key, 'cannot be read: ES256 needs a key on the curve P-256 (prime256v1).')
  }
}

async function isPair(privateKey: CryptoKey, publicKey: CryptoKey): Promise<boolean> {
  const probe = await new CompactSign(new TextEncoder().encode('probe'))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey)
  return compactVerify(probe, publicKey).then(
    () => true,
    () => false,
  )
}
