import { createHash, createPublicKey, randomBytes, sign } from 'node:crypto'
import type { UmaKey } from '../types'
import { bits, der, integer, octets, oid, sequence, time, utf8, yes } from './der'

export const YEARS_VALID = 10
const DAY_MS = 86_400_000

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const COMMON_NAME = '2.5.4.3'
const MAX_NAME_LENGTH = 64

/**
 * A self-signed certificate for the key, as PEM (RFC 5280), for readers that accept keys only in this form. Node can
 * create keys on this curve but not certificates, so the certificate is encoded here.
 */
export function selfSigned(key: UmaKey, commonName: string, now: Date): string {
  const spki = createPublicKey(key.keyObject).export({ type: 'spki', format: 'der' })
  const name = sequence(der(0x31, sequence(oid(COMMON_NAME), utf8(commonName.slice(0, MAX_NAME_LENGTH)))))
  const end = new Date(now)
  end.setUTCFullYear(end.getUTCFullYear() + YEARS_VALID)
  const validity = sequence(time(new Date(now.getTime() - DAY_MS)), time(end))
  const keyId = createHash('sha1').update(Buffer.from(key.publicKeyHex, 'hex')).digest()
  const extensions = sequence(
    sequence(oid('2.5.29.19'), yes, octets(sequence(yes))),
    // digitalSignature, keyAgreement, and keyCertSign, which a self-signed certificate requires.
    sequence(oid('2.5.29.15'), yes, octets(bits(Buffer.from([0b1000_1100]), 2))),
    sequence(oid('2.5.29.14'), octets(octets(keyId))),
    sequence(oid('2.5.29.35'), octets(sequence(der(0x80, keyId)))),
  )
  // Positive, with a nonzero first byte.
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    spki,
    der(0xa3, extensions),
  )
  const signature = sign('sha256', unsigned, { key: key.keyObject, dsaEncoding: 'der' })
  const lines =
    sequence(unsigned, ECDSA_WITH_SHA256, bits(signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
