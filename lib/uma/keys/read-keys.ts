import { ECDH, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '../../platform/parse-json'
import { CURVE } from '../../platform/secp256k1'
import { umaFault } from '../fault'
import { optional } from '../messages/unset'
import type { PublicKeys } from '../types'

export interface KeyDocument extends PublicKeys {
  /** Undefined: the keys must not be cached. */
  readonly expiresAtSeconds: number | undefined
}

const MAX_CHAIN_LENGTH = 5
const chain = optional(z.array(z.string()))
const rawKey = optional(z.string())
const Document = z.object({
  signingCertChain: chain,
  encryptionCertChain: chain,
  signingPubKey: rawKey,
  encryptionPubKey: rawKey,
  expirationTimestamp: optional(z.number().nonnegative()),
})
const CERTIFICATE = /^(?:[0-9a-f]{2}){100,4096}$/i
const RAW_KEY = /^(?:04[0-9a-f]{128}|0[23][0-9a-f]{64})$/i

/**
 * Reads `/.well-known/lnurlpubkey` of another VASP. A certificate chain is verified, and the key of its first
 * certificate is used. Without a chain (absent, null or empty) the raw key is used. The name in the certificate is not
 * checked, because the document was fetched from the VASP's own domain over https (over http only from a local peer).
 * @throws UmaFault INVALID_PUBKEY_FORMAT, CERT_CHAIN_INVALID or CERT_CHAIN_EXPIRED, whose reason names the fault.
 */
export function readKeyDocument(text: string, now: Date): KeyDocument {
  const document = Document.safeParse(parseJson(text)).data
  if (document === undefined) throw badKeys('the document of its public keys is malformed')
  const { signingCertChain, encryptionCertChain, signingPubKey, encryptionPubKey, expirationTimestamp } = document
  return {
    signing: keyOf('signing', signingCertChain, signingPubKey, now),
    encryption: keyOf('encryption', encryptionCertChain, encryptionPubKey, now),
    expiresAtSeconds: expirationTimestamp,
  }
}

type Purpose = 'signing' | 'encryption'

function keyOf(purpose: Purpose, hexChain: readonly string[] | undefined, raw: string | undefined, now: Date): string {
  if (hexChain !== undefined && hexChain.length > 0) return wholeKey(purpose, keyOfChain(purpose, hexChain, now))
  if (raw === undefined) throw badKeys(`it publishes no ${purpose} key`)
  if (!RAW_KEY.test(raw)) throw badKeys(`its ${purpose} key is malformed`)
  return wholeKey(purpose, Buffer.from(raw, 'hex'))
}

function keyOfChain(purpose: Purpose, hexChain: readonly string[], now: Date): Buffer {
  if (hexChain.length > MAX_CHAIN_LENGTH)
    throw badKeys(
      `the certificate chain of its ${purpose} key is too long: ${hexChain.length} certificates, at most ${MAX_CHAIN_LENGTH} are accepted`,
    )
  const nameOf = (index: number): string =>
    hexChain.length === 1 ? `the certificate of its ${purpose} key` : `certificate ${index + 1} of its ${purpose} key`
  const certificates = hexChain.map((hex, index) => readCertificate(hex, nameOf(index)))
  for (const [index, certificate] of certificates.entries()) {
    refuseOutOfTime(certificate, nameOf(index), now)
    const fault = faultOfIssuer(certificates, index)
    if (fault !== undefined) throw badChain(`${nameOf(index)} ${fault}`)
  }
  const publicKey = certificates[0]?.publicKey
  if (publicKey?.asymmetricKeyDetails?.namedCurve !== CURVE) throw badKeys(`its ${purpose} key is not on ${CURVE}`)
  // The point is at the end of the key's DER.
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
}

function readCertificate(hex: string, name: string): X509Certificate {
  if (!CERTIFICATE.test(hex)) throw badKeys(`${name} is malformed`)
  try {
    return new X509Certificate(Buffer.from(hex, 'hex'))
  } catch (cause) {
    throw badChain(`${name} is malformed`, cause)
  }
}

function refuseOutOfTime({ validFrom, validTo }: X509Certificate, name: string, now: Date): void {
  const [from, to] = [new Date(validFrom), new Date(validTo)]
  if (now > to) throw umaFault('CERT_CHAIN_EXPIRED', `${name} expired on ${day(to)}`)
  if (now < from) throw umaFault('CERT_CHAIN_EXPIRED', `${name} is not yet valid: it becomes valid on ${day(from)}`)
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/**
 * What is wrong with the issuer of a certificate: the next one in the chain, or itself if it is last and self-signed.
 * The issuer of any other last certificate cannot be checked.
 */
function faultOfIssuer(certificates: readonly X509Certificate[], index: number): string | undefined {
  const [certificate, issuer] = [certificates[index], certificates[index + 1]]
  if (certificate === undefined) return undefined
  if (issuer === undefined)
    return certificate.issuer !== certificate.subject || isSignedBy(certificate, certificate)
      ? undefined
      : 'has an invalid signature'
  if (certificate.issuer !== issuer.subject)
    return certificates.some((other) => other !== certificate && isIssuedBy(certificate, other)) ||
      isIssuedBy(issuer, certificate)
      ? 'is in the wrong order: the certificate of the key comes first, and each one is followed by its issuer'
      : 'was not issued by the certificate that follows it (wrong issuer)'
  if (!isSignedBy(certificate, issuer)) return 'has an invalid signature'
  return issuer.ca ? undefined : 'was issued by a certificate that may not issue others (no CA:TRUE)'
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.issuer === issuer.subject && isSignedBy(certificate, issuer)
}

function isSignedBy(certificate: X509Certificate, signer: X509Certificate): boolean {
  try {
    return certificate.verify(signer.publicKey)
  } catch {
    return false
  }
}

/** The uncompressed point of a key. */
function wholeKey(purpose: Purpose, key: Buffer): string {
  try {
    return ECDH.convertKey(key, CURVE, undefined, 'hex', 'uncompressed') as string
  } catch (cause) {
    throw badKeys(`its ${purpose} key is malformed`, cause)
  }
}

function badKeys(reason: string, cause?: unknown): Error {
  return umaFault('INVALID_PUBKEY_FORMAT', reason, { cause })
}

function badChain(reason: string, cause?: unknown): Error {
  return umaFault('CERT_CHAIN_INVALID', reason, { cause })
}
