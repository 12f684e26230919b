import { ECDH, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { umaFault } from '../messages/fault'
import { CURVE } from '../../platform/secp256k1'
import { parseJson } from '../../platform/parse-json'

/** The public keys of another VASP: 65 bytes each, uncompressed, hex. */
export interface PublicKeys {
  readonly signing: string
  readonly encryption: string
}

export interface KeyDocument extends PublicKeys {
  /** Undefined: the keys must not be cached. */
  readonly expiresAtSeconds: number | undefined
}

const MAX_CHAIN_LENGTH = 5
const chain = z
  .array(z.string().regex(/^(?:[0-9a-f]{2}){100,4096}$/i))
  .min(1)
  .max(MAX_CHAIN_LENGTH)
  .nullish()
const rawKey = z
  .string()
  .regex(/^(?:04[0-9a-f]{128}|0[23][0-9a-f]{64})$/i)
  .nullish()
const Document = z.object({
  signingCertChain: chain,
  encryptionCertChain: chain,
  signingPubKey: rawKey,
  encryptionPubKey: rawKey,
  expirationTimestamp: z.number().nonnegative().nullish(),
})

/**
 * Reads `/.well-known/lnurlpubkey` of another VASP. A certificate chain is verified, and the key of its first
 * certificate is used. The name in the certificate is not checked, because the document was fetched from the VASP's own
 * domain over https (over http only from a local peer).
 * @throws UmaFault INVALID_PUBKEY_FORMAT, CERT_CHAIN_INVALID or CERT_CHAIN_EXPIRED.
 */
export function readKeyDocument(text: string, now: Date): KeyDocument {
  const document = Document.safeParse(parseJson(text)).data
  if (document === undefined) throw badKeys()
  const { signingCertChain, encryptionCertChain, signingPubKey, encryptionPubKey, expirationTimestamp } = document
  return {
    signing: keyOf(signingCertChain, signingPubKey, now),
    encryption: keyOf(encryptionCertChain, encryptionPubKey, now),
    expiresAtSeconds: expirationTimestamp ?? undefined,
  }
}

function keyOf(hexChain: readonly string[] | null | undefined, raw: string | null | undefined, now: Date): string {
  if (hexChain != null) return wholeKey(keyOfChain(hexChain, now))
  if (raw != null) return wholeKey(Buffer.from(raw, 'hex'))
  throw badKeys()
}

function keyOfChain(hexChain: readonly string[], now: Date): Buffer {
  const certificates = hexChain.map(readCertificate)
  const [leaf] = certificates
  if (leaf === undefined) throw badKeys()
  for (const [index, certificate] of certificates.entries()) {
    if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo))
      throw umaFault('CERT_CHAIN_EXPIRED', 'A certificate of the key is not valid at this time.')
    const issuer = certificates[index + 1]
    // A self-signed last certificate must verify. Any other issuer cannot be checked.
    const signer = issuer ?? (certificate.issuer === certificate.subject ? certificate : undefined)
    if (signer !== undefined && !isSignedBy(certificate, signer)) throw badChain()
  }
  const { publicKey } = leaf
  if (publicKey.asymmetricKeyDetails?.namedCurve !== CURVE) throw badKeys()
  // The point is at the end of the key's DER.
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
}

function readCertificate(hex: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(hex, 'hex'))
  } catch (cause) {
    throw badChain(cause)
  }
}

function isSignedBy(certificate: X509Certificate, signer: X509Certificate): boolean {
  try {
    return certificate.issuer === signer.subject && certificate.verify(signer.publicKey)
  } catch {
    return false
  }
}

/** The uncompressed point of a key. */
function wholeKey(key: Buffer): string {
  try {
    return ECDH.convertKey(key, CURVE, undefined, 'hex', 'uncompressed') as string
  } catch (cause) {
    throw badKeys(cause)
  }
}

function badKeys(cause?: unknown): Error {
  return umaFault('INVALID_PUBKEY_FORMAT', 'The public keys are not valid.', { cause })
}

function badChain(cause?: unknown): Error {
  return umaFault('CERT_CHAIN_INVALID', 'The certificates of the key are not valid.', { cause })
}
