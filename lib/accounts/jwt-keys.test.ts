import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newKeyPair } from '@/test/vasp/keys'
import { loadSettings } from '../platform/config'
import { loadJwtKeys } from './jwt-keys'

const none = { jwtPrivateKeyPem: undefined, jwtPublicKeyPem: undefined, jwtPublicKeyPreviousPem: undefined }
const pair = newKeyPair()
const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey

describe('loadJwtKeys', () => {
  it('accepts settings without any key', async () => {
    expect(await loadJwtKeys(none)).toEqual({ signing: undefined, verification: [] })
  })

  it('does not derive the public key from the private key', async () => {
    expect((await loadJwtKeys({ ...none, jwtPrivateKeyPem: pair.privatePem })).verification).toEqual([])
  })

  it.each([
    ['line endings written as \\n', (pem: string) => pem.replaceAll('\n', '\\n')],
    ['CRLF', (pem: string) => pem.replaceAll('\n', '\r\n')],
  ])('accepts PEM texts with %s', async (_name, write) => {
    const settings = loadSettings({
      NEXTAUTH_SECRET: 'x'.repeat(32),
      JWT_PRIVATE_KEY: write(pair.privatePem),
      JWT_PUBLIC_KEY: write(pair.publicPem),
    })
    expect((await loadJwtKeys(settings)).signing).toBeDefined()
  })

  it.each([
    ['JWT_PRIVATE_KEY', 'a public key in its place', { jwtPrivateKeyPem: pair.publicPem }],
    ['JWT_PUBLIC_KEY', 'a private key in its place', { jwtPublicKeyPem: pair.privatePem }],
    ['JWT_PRIVATE_KEY', 'another curve', { jwtPrivateKeyPem: newKeyPair('P-384').privatePem }],
    ['JWT_PUBLIC_KEY', 'secp256k1', { jwtPublicKeyPem: newKeyPair('secp256k1').publicPem }],
    ['JWT_PRIVATE_KEY', 'encryption', { jwtPrivateKeyPem: encrypted }],
    ['JWT_PUBLIC_KEY', 'text that is not PEM', { jwtPublicKeyPem: 'hello' }],
    [
      'JWT_PUBLIC_KEY',
      'the key of another pair',
      { jwtPrivateKeyPem: pair.privatePem, jwtPublicKeyPem: newKeyPair().publicPem },
    ],
    ['JWT_PUBLIC_KEY_PREVIOUS', 'another curve', { jwtPublicKeyPreviousPem: newKeyPair('P-384').publicPem }],
  ])(
    'rejects %s with %s at startup, with one line that names the variable and shows no key',
    async (variable, _fault, pems) => {
      const failure: unknown = await loadJwtKeys({ ...none, ...pems }).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        name: 'SettingsError',
        message: expect.stringMatching(`^${variable} `) as string,
      })
      expect(String(failure)).not.toMatch(/\n|MFk|MIG/)
    },
  )
})
