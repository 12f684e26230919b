import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getPubKeyResponse, signPayload } from '@uma-sdk/core'
import { describe, expect, it } from 'vitest'
import { newNodeSecret } from '@/test/vasp/keys'
import type { UmaKeys } from '../types'
import { selfSigned } from './certificates'
import { loadUmaKeys } from './keys'

function newKeys(): UmaKeys {
  const keys = loadUmaKeys({ umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: newNodeSecret() })
  if (keys === undefined) throw new Error('no keys')
  return keys
}
const now = new Date('2026-11-21T12:00:00Z')

describe('a certificate of a UMA key', () => {
  it('is signed by its own key, names the VASP, and is valid for ten years', () => {
    for (let count = 0; count < 50; count += 1) {
      const { signing } = newKeys()
      const certificate = new X509Certificate(selfSigned(signing, 'bank.example', now))
      expect(certificate.verify(certificate.publicKey)).toBe(true)
      expect(certificate.checkIssued(certificate)).toBe(true)
      expect(certificate.subject).toBe('CN=bank.example')
      expect(new Date(certificate.validFrom)).toEqual(new Date('2026-11-20T12:00:00Z'))
      expect(new Date(certificate.validTo)).toEqual(new Date('2036-11-21T12:00:00Z'))
      expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'secp256k1' })
    }
  })

  it('may end after 2049, and shortens a long name', () => {
    const late = new X509Certificate(selfSigned(newKeys().signing, `${'a'.repeat(80)}.example`, new Date('2045-01-01')))
    expect(new Date(late.validTo)).toEqual(new Date('2055-01-01T00:00:00Z'))
    expect(late.verify(late.publicKey)).toBe(true)
    expect(late.subject).toBe(`CN=${'a'.repeat(64)}`)
  })

  it('passes the strict check of OpenSSL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
    const file = join(folder, 'leaf.pem')
    try {
      writeFileSync(file, selfSigned(newKeys().signing, 'bank.example', new Date()))
      const said = execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', file, file], { encoding: 'utf8' })
      expect(said).toContain('OK')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('gives our key to readers that take the first certificate', async () => {
    const keys = newKeys()
    const chain = selfSigned(keys.signing, 'bank.example', now)
    const read = getPubKeyResponse({ signingCertChainPem: chain, encryptionCertChainPem: chain })
    expect(Buffer.from(read.getSigningPubKey()).toString('hex')).toBe(keys.signing.publicKeyHex)
    expect(await signPayload('text', keys.signing.secret)).toMatch(/^30/)
  })
})

describe('the UMA keys', () => {
  it('are undefined when neither is set', () => {
    expect(loadUmaKeys({ umaSigningKeyHex: undefined, umaEncryptionKeyHex: undefined })).toBeUndefined()
  })
  it.each([
    ['UMA_ENCRYPTION_KEY', { umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: undefined }],
    ['UMA_SIGNING_KEY', { umaSigningKeyHex: undefined, umaEncryptionKeyHex: newNodeSecret() }],
    ['UMA_SIGNING_KEY', { umaSigningKeyHex: '0'.repeat(64), umaEncryptionKeyHex: newNodeSecret() }],
    ['UMA_ENCRYPTION_KEY', { umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: 'f'.repeat(64) }],
  ])('cannot be loaded when %s is missing or invalid, and the error shows no key', (variable, settings) => {
    const load = (): unknown => loadUmaKeys(settings)
    expect(load).toThrow(variable)
    expect(load).toThrow(/set 64 random hex digits\.$/)
    expect(load).toThrow(/^[^]{0,120}$/)
    expect(load).toThrow(/^((?![0-9a-f]{64})[^])*$/)
  })
  it('keep the leading zeros of a small secret', () => {
    const secret = `${'0'.repeat(62)}02`
    const keys = loadUmaKeys({ umaSigningKeyHex: secret, umaEncryptionKeyHex: secret })
    expect(keys?.signing.secret).toEqual(Buffer.from(secret, 'hex'))
    const certificate = new X509Certificate(selfSigned(keys?.signing ?? newKeys().signing, 'x.example', now))
    expect(certificate.verify(certificate.publicKey)).toBe(true)
  })
})
