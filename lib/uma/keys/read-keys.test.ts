import { createECDH, createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newKeyPair, newNodeSecret } from '@/test/vasp/keys'
import { selfSigned } from './certificates'
import { keyDocument } from './key-document'
import { loadUmaKeys, type UmaKey, type UmaKeys } from './keys'
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
    ['an empty chain', { ...raw, signingCertChain: [] }],
    ['a chain of six', { ...raw, signingCertChain: Array.from({ length: 6 }, () => hexOf(keys.signing)) }],
  ])('are rejected: %s', (_, document) => {
    expect(() => read(document)).toThrow(refused('INVALID_PUBKEY_FORMAT'))
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
