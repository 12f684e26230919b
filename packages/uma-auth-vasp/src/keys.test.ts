import { createPrivateKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newKeyPair } from '../test/key-pair'
import { importKeys, type KeyTexts } from './keys'

const pair = newKeyPair()
const texts = { privateKey: pair.privatePem, publicKey: pair.publicPem }
const sec1 = createPrivateKey(pair.privatePem).export({ type: 'sec1', format: 'pem' }).toString()
const encrypted = createPrivateKey(pair.privatePem)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString()
const p384 = newKeyPair('P-384')

describe('importKeys', () => {
  it('reads a pair, and the public key of the previous pair', async () => {
    const { signing, verification } = await importKeys({ ...texts, previousPublicKey: newKeyPair().publicPem })
    expect(signing?.type).toBe('private')
    expect(verification.map(({ type }) => type)).toEqual(['public', 'public'])
  })

  it('derives neither key from the other', async () => {
    expect((await importKeys({ privateKey: pair.privatePem })).verification).toEqual([])
    expect((await importKeys({ publicKey: pair.publicPem })).signing).toBeUndefined()
    expect(await importKeys({ privateKey: '', publicKey: undefined })).toEqual({ signing: undefined, verification: [] })
  })

  it('accepts line breaks that are written as \\n, and blank lines around the text', async () => {
    const escaped = { privateKey: `\n${pair.privatePem.replaceAll('\n', '\\n')} `, publicKey: pair.publicPem }
    expect((await importKeys(escaped)).signing?.type).toBe('private')
  })

  it.each<[string, KeyTexts, keyof KeyTexts, RegExp]>([
    ['two halves of different pairs', { ...texts, publicKey: newKeyPair().publicPem }, 'publicKey', /does not match/],
    ['a private key on P-384', { privateKey: p384.privatePem }, 'privateKey', /P-256/],
    ['a public key on P-384', { publicKey: p384.publicPem }, 'publicKey', /P-256/],
    ['a public key as the private one', { privateKey: pair.publicPem }, 'privateKey', /BEGIN PRIVATE KEY/],
    ['a private key as the public one', { publicKey: pair.privatePem }, 'publicKey', /BEGIN PUBLIC KEY/],
    [
      'a private key as the previous one',
      { previousPublicKey: pair.privatePem },
      'previousPublicKey',
      /BEGIN PUBLIC KEY/,
    ],
    ['a key in SEC1 format', { privateKey: sec1 }, 'privateKey', /openssl pkcs8 -topk8 -nocrypt/],
    ['an encrypted key', { privateKey: encrypted }, 'privateKey', /unencrypted private key/],
    ['text that is not PEM', { publicKey: 'hello' }, 'publicKey', /BEGIN PUBLIC KEY/],
    ['a broken PEM', { publicKey: pair.publicPem.slice(0, 80) }, 'publicKey', /cannot be read/],
  ])('rejects %s and names the key', async (_, given, key, problem) => {
    await expect(importKeys(given)).rejects.toMatchObject({ name: 'KeyError', key })
    await expect(importKeys(given)).rejects.toThrow(problem)
    await expect(importKeys(given)).rejects.toThrow(new RegExp(`^${key} `))
  })

  it('shows no part of the key in the error message', async () => {
    const inner = p384.privatePem.split('\n')[1] ?? ''
    const error = await importKeys({ privateKey: p384.privatePem }).catch((thrown: unknown) => thrown)
    expect(String(error)).not.toContain(inner.slice(0, 16))
  })
})
