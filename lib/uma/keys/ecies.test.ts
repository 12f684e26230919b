import { decrypt, encrypt } from 'eciesjs'
import { expect, test } from 'vitest'
import { NOT_POINTS } from '@/test/uma/not-points'
import { newNodeSecret } from '@/test/vasp/keys'
import type { UmaKey } from '../types'
import { decryptWith, encryptFor } from './ecies'
import { loadUmaKeys } from './keys'

const TIMES = 40
const POINT_BYTES = 65
const newKey = (): UmaKey => {
  const keys = loadUmaKeys({ umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: newNodeSecret() })
  if (keys === undefined) throw new Error('no keys')
  return keys.encryption
}

test('a text encrypted here is decrypted by eciesjs, and the other way round, for any keys', () => {
  for (let time = 0; time < TIMES; time++) {
    const key = newKey()
    const text = `Zoë pays ${time} ₿`.repeat(time)
    expect(Buffer.from(decrypt(key.secret, encryptFor(key.publicKeyHex, text))).toString('utf8')).toBe(text)
    expect(decryptWith(key, Buffer.from(encrypt(Buffer.from(key.publicKeyHex, 'hex'), Buffer.from(text))))).toBe(text)
  }
}, 60_000)

test('a message is decrypted only with the recipient’s key, and two encryptions of one text differ', () => {
  const key = newKey()
  for (let time = 0; time < TIMES; time++) expect(decryptWith(key, encryptFor(key.publicKeyHex, 'text'))).toBe('text')
  expect(encryptFor(key.publicKeyHex, 'text')).not.toEqual(encryptFor(key.publicKeyHex, 'text'))
  expect(() => decryptWith(newKey(), encryptFor(key.publicKeyHex, 'text'))).toThrow()
})

test('every message has its own ephemeral key', () => {
  const { publicKeyHex } = newKey()
  const points = Array.from({ length: TIMES }, () => encryptFor(publicKeyHex, 'text').toString('hex', 0, POINT_BYTES))
  expect(new Set(points).size).toBe(TIMES)
})

test('a message with any byte changed, or truncated, is not decrypted', () => {
  const key = newKey()
  const whole = encryptFor(key.publicKeyHex, 'text')
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => decryptWith(key, changed)).toThrow()
    expect(() => decryptWith(key, whole.subarray(0, at))).toThrow()
  }
})

test.each(NOT_POINTS)('for encryption and for decryption, refuses %s', (_, change) => {
  const key = newKey()
  const point = change(Buffer.from(key.publicKeyHex, 'hex'))
  expect(() => encryptFor(point.toString('hex'), 'text')).toThrow()
  const message = encryptFor(key.publicKeyHex, 'text')
  expect(() => decryptWith(key, Buffer.concat([point, message.subarray(POINT_BYTES)]))).toThrow()
})
