import { createECDH, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newKeyPair, newNodeSecret } from '@/test/vasp/keys'
import type { UmaKey, UmaKeys } from '../types'
import { selfSigned } from './certificates'
import { bits, der, integer, octets, oid, sequence, time, utf8, yes } from './der'
import { keyDocument } from './key-document'
import { loadUmaKeys } from './keys'
import { readKeyDocument } from './read-keys'

function newKeys(): UmaKeys {
  const keys = loadUmaKeys({ umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: newNodeSecret() })
  if (keys === undefined) throw new Error('no keys')
  return keys
}

const now = new Date('2026-11-21T12:00:00Z')
const keys = newKeys()
const hexOf = (key: UmaKey, from = now, name = 'bank.example'): string =>
  Buffer.from(selfSigned(key, name, from).replaceAll(/-----[^-]+-----|\s/g, ''), 'base64').toString('hex')
const raw = { signingPubKey: keys.signing.publicKeyHex, encryptionPubKey: keys.encryption.publicKeyHex }
const chains = { signingCertChain: [hexOf(keys.signing)], encryptionCertChain: [hexOf(keys.encryption)] }
const read = (document: unknown, at = now): unknown => readKeyDocument(JSON.stringify(document), at)
const refused = (code: string): unknown => expect.objectContaining({ name: 'UmaFault', code })
const both = { signing: keys.signing.publicKeyHex, encryption: keys.encryption.publicKeyHex }

/** A certificate, DER in hex, with any issuer and any validity. */
function issue({
  subject,
  issuer,
  key,
  signer,
  ca,
  validFrom = new Date('2026-01-01'),
  validTo = new Date('2027-01-01'),
}: {
  readonly subject: string
  readonly issuer: string
  readonly key: UmaKey
  readonly signer: UmaKey
  /** Undefined: without the extension. */
  readonly ca?: boolean
  readonly validFrom?: Date
  readonly validTo?: Date
}): string {
  const nameOf = (text: string): Buffer => sequence(der(0x31, sequence(oid('2.5.4.3'), utf8(text))))
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const constraints = sequence(oid('2.5.29.19'), yes, octets(ca === true ? sequence(yes) : sequence()))
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.from([1])),
    algorithm,
    nameOf(issuer),
    sequence(time(validFrom), time(validTo)),
    nameOf(subject),
    createPublicKey(key.keyObject).export({ type: 'spki', format: 'der' }),
    ...(ca === undefined ? [] : [der(0xa3, sequence(constraints))]),
  )
  const signature = sign('sha256', unsigned, { key: signer.keyObject, dsaEncoding: 'der' })
  return sequence(unsigned, algorithm, bits(signature)).toString('hex')
}

describe('the keys that another VASP publishes', () => {
  it('are read from this VASP’s own document', () => {
    const certificates = { signing: chains.signingCertChain, encryption: chains.encryptionCertChain }
    const expiresAtSeconds = now.getTime() / 1000 + 300
    expect(read(keyDocument(keys, certificates, now))).toEqual({ ...both, expiresAtSeconds })
  })

  it('are read raw, uncompressed or compressed, and from chains, which take precedence', () => {
    expect(read(raw)).toEqual({ ...both, expiresAtSeconds: undefined })
    const ecdh = createECDH('secp256k1')
    ecdh.setPrivateKey(Buffer.from(keys.signing.secret))
    expect(read({ ...raw, signingPubKey: ecdh.getPublicKey('hex', 'compressed') })).toMatchObject(both)
    const other = newKeys()
    const others = { signingPubKey: other.signing.publicKeyHex, encryptionPubKey: other.encryption.publicKeyHex }
    expect(read({ ...chains, ...others })).toMatchObject(both)
  })

  it('are accepted when the next certificate of the chain signed theirs, and rejected otherwise', () => {
    const twice = [hexOf(keys.signing), hexOf(keys.signing)]
    expect(read({ ...chains, signingCertChain: twice })).toMatchObject(both)
    const stranger = [hexOf(keys.signing), hexOf(newKeys().signing)]
    expect(() => read({ ...chains, signingCertChain: stranger })).toThrow(refused('CERT_CHAIN_INVALID'))
  })

  it.each([
    ['after its expiry', new Date('2036-11-22T00:00:00Z')],
    ['before it becomes valid', new Date('2026-11-20T11:00:00Z')],
  ])('are rejected with a certificate %s', (_, at) => {
    expect(() => read(chains, at)).toThrow(refused('CERT_CHAIN_EXPIRED'))
  })

  it('are rejected with a certificate that was changed', () => {
    const [whole = ''] = chains.signingCertChain
    const changed = `${whole.slice(0, -2)}${whole.endsWith('00') ? '01' : '00'}`
    expect(() => read({ ...chains, signingCertChain: [changed] })).toThrow(refused('CERT_CHAIN_INVALID'))
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['text', 'keys'],
    ['no key', {}],
    ['only one of the two keys', { signingPubKey: raw.signingPubKey }],
    ['a key that is not a point on the curve', { ...raw, signingPubKey: `04${'0'.repeat(128)}` }],
    ['a key of another length', { ...raw, signingPubKey: '04ab' }],
    ['an empty chain without a raw key', { encryptionPubKey: raw.encryptionPubKey, signingCertChain: [] }],
    ['an empty raw key', { ...raw, signingPubKey: '' }],
    ['a chain of six', { ...raw, signingCertChain: Array.from({ length: 6 }, () => hexOf(keys.signing)) }],
  ])('are rejected: %s', (_, document) => {
    expect(() => read(document)).toThrow(refused('INVALID_PUBKEY_FORMAT'))
  })

  it.each([[], null, undefined])('are read raw when the chains are %j', (none) => {
    expect(read({ ...raw, signingCertChain: none, encryptionCertChain: none })).toMatchObject(both)
    expect(read({ ...raw, signingCertChain: none, encryptionCertChain: chains.encryptionCertChain })).toMatchObject(
      both,
    )
  })

  it.each([null, ''])('are read from chains when the raw keys are %j', (none) => {
    expect(read({ ...chains, signingPubKey: none, encryptionPubKey: none })).toMatchObject(both)
  })

  describe('are rejected with a reason of their own for', () => {
    const leaf = newKeys().signing
    const middle = newKeys().signing
    const root = newKeys().signing
    const rootDer = issue({ subject: 'root', issuer: 'root', key: root, signer: root, ca: true })
    const middleDer = issue({ subject: 'middle', issuer: 'root', key: middle, signer: root, ca: true })
    const leafDer = issue({ subject: 'leaf', issuer: 'middle', key: leaf, signer: middle })
    const readChain = (chain: readonly string[], which = 'signingCertChain'): unknown =>
      read({ ...raw, [which]: chain })

    it('nothing, while the chain is in order', () => {
      for (const chain of [[leafDer], [leafDer, middleDer], [leafDer, middleDer, rootDer]])
        expect(() => readChain(chain)).not.toThrow()
    })
    const late = { validFrom: new Date('2030-01-01'), validTo: new Date('2031-01-01') }
    const past = { validFrom: new Date('2020-01-01'), validTo: new Date('2021-01-01') }
    it.each<[string, string, string, readonly string[]]>([
      [
        'an expired leaf',
        'CERT_CHAIN_EXPIRED',
        'expired on 2021-01-01',
        [issue({ subject: 'leaf', issuer: 'middle', key: leaf, signer: middle, ...past }), middleDer],
      ],
      [
        'an expired issuer',
        'CERT_CHAIN_EXPIRED',
        'certificate 2 of its signing key expired on 2021-01-01',
        [leafDer, issue({ subject: 'middle', issuer: 'root', key: middle, signer: root, ca: true, ...past })],
      ],
      [
        'a leaf that is not yet valid',
        'CERT_CHAIN_EXPIRED',
        'is not yet valid',
        [issue({ subject: 'leaf', issuer: 'middle', key: leaf, signer: middle, ...late })],
      ],
      [
        'an issuer that is not yet valid',
        'CERT_CHAIN_EXPIRED',
        'is not yet valid',
        [leafDer, issue({ subject: 'middle', issuer: 'root', key: middle, signer: root, ca: true, ...late })],
      ],
      ['a wrong issuer', 'CERT_CHAIN_INVALID', 'wrong issuer', [leafDer, rootDer]],
      ['a reversed chain', 'CERT_CHAIN_INVALID', 'wrong order', [rootDer, middleDer, leafDer]],
      ['two certificates in the wrong order', 'CERT_CHAIN_INVALID', 'wrong order', [leafDer, rootDer, middleDer]],
      [
        'an issuer that may not issue',
        'CERT_CHAIN_INVALID',
        'CA:TRUE',
        [leafDer, issue({ subject: 'middle', issuer: 'root', key: middle, signer: root, ca: false }), rootDer],
      ],
      [
        'an issuer without the extension',
        'CERT_CHAIN_INVALID',
        'CA:TRUE',
        [leafDer, issue({ subject: 'middle', issuer: 'root', key: middle, signer: root })],
      ],
      [
        'a signature by another key',
        'CERT_CHAIN_INVALID',
        'invalid signature',
        [issue({ subject: 'leaf', issuer: 'middle', key: leaf, signer: root }), middleDer],
      ],
      ['seven certificates', 'INVALID_PUBKEY_FORMAT', 'too long', Array.from({ length: 7 }, () => rootDer)],
      ['text', 'INVALID_PUBKEY_FORMAT', 'malformed', ['hello']],
      ['bytes that are no certificate', 'CERT_CHAIN_INVALID', 'malformed', ['30'.repeat(300)]],
    ])('%s', (_, code, words, chain) => {
      expect(() => readChain(chain)).toThrow(refused(code))
      expect(() => readChain(chain)).toThrow(words)
      expect(() => readChain(chain, 'encryptionCertChain')).toThrow(/encryption key/)
    })
  })

  it('are rejected when they are on another curve', () => {
    const { privatePem, publicPem } = newKeyPair()
    const publicKeyHex = createPublicKey(publicPem)
      .export({ type: 'spki', format: 'der' })
      .subarray(-65)
      .toString('hex')
    const signingCertChain = [
      hexOf({ secret: keys.signing.secret, publicKeyHex, keyObject: createPrivateKey(privatePem) }),
    ]
    expect(() => read({ ...chains, signingCertChain })).toThrow(refused('INVALID_PUBKEY_FORMAT'))
  })

  it('are rejected when the chain contains something other than a certificate', () => {
    expect(() => read({ ...raw, signingCertChain: ['ab'.repeat(200)] })).toThrow(refused('CERT_CHAIN_INVALID'))
  })
})
