import { CompactSign, compactVerify, importPKCS8, importSPKI, type CryptoKey } from 'jose'

/** The ES256 keys of the tokens. Either may be missing: the VASP then answers with the 500 that the specification defines (Errors). */
export interface VaspKeys {
  readonly signing: CryptoKey | Signer | undefined
  /** Newest first; a token is valid when one of them verifies it. */
  readonly verification: readonly CryptoKey[]
}

/** A private key that cannot be exported: it signs in a KMS, in an HSM or in another process. */
export interface Signer {
  /**
   * Written to the header of the tokens, for readers with several keys: 1 to 128 of the characters `A-Z a-z 0-9 . _ ~ : -`. This VASP
   * itself tries each of its verification keys.
   */
  readonly kid?: string | undefined
  /**
   * Signs with ES256: ECDSA on P-256 over the SHA-256 of `data`. It has the time limit of `callbackTimeoutSeconds`. The signature is
   * checked with the verification keys before a token is issued.
   * @returns r and s, 64 bytes (IEEE P1363). Many services answer DER instead: see `fromDer`.
   */
  sign(data: Uint8Array): Promise<Uint8Array>
}

/** No slash: some readers make a path of it. */
export const KEY_ID = /^[A-Za-z0-9._~:-]{1,128}$/

export function isSigner(key: unknown): key is Signer {
  if (typeof key !== 'object' || key === null) return false
  const { sign, kid } = key as Partial<Signer>
  return typeof sign === 'function' && (kid === undefined || (typeof kid === 'string' && KEY_ID.test(kid)))
}

/** Whether a value can be `keys.signing`. Not `instanceof`: the key may come from another realm. */
export function canSign(key: unknown): key is CryptoKey | Signer {
  if (isSigner(key)) return true
  const { type, algorithm, usages } = (key ?? {}) as { [Field in keyof CryptoKey]?: CryptoKey[Field] }
  const { name, namedCurve } = (algorithm ?? {}) as { name?: string; namedCurve?: string }
  return type === 'private' && name === 'ECDSA' && namedCurve === 'P-256' && usages?.includes('sign') === true
}

/**
 * Converts an ECDSA signature from DER, as AWS KMS, Google Cloud KMS and OpenSSL return it, to the 64 bytes that a `Signer` returns.
 * @throws TypeError for anything but a DER signature of P-256.
 */
export function fromDer(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0
    const start = at + 2
    // A number whose first bit is set has a zero in front.
    const digits = der.subarray(start + (der[start] === 0 ? 1 : 0), start + length)
    if (der[at] !== 0x02 || length === 0 || digits.length > 32 || start + length > der.length) throw notDer()
    raw.set(digits, end - digits.length)
    at = start + length
  }
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || at !== der.length) throw notDer()
  return raw
}

function notDer(): TypeError {
  return new TypeError('the signature is not DER of an ECDSA signature on P-256')
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
export async function importKeys(texts: KeyTexts): Promise<VaspKeys & { readonly signing: CryptoKey | undefined }> {
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
