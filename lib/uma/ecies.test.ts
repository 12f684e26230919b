import { decrypt, encrypt } from 'eciesjs'
import { expect, test } from 'vitest'
import { newNodeSecret } from '@/test/keys'
import { makeEcies } from './ecies'
import { loadUmaKeys, type UmaKey } from './keys'

const TIMES = 40
let nowMs = 0
const clock = { now: () => new Date(nowMs) }
const ecies = makeEcies(clock)
const POINT_BYTES = 65
const newKey = (): UmaKey => {
  const keys = loadUmaKeys({ umaSigningKeyHex: newNodeSecret(), umaEncryptionKeyHex: newNodeSecret() })
  if (keys === undefined) throw new Error('no keys')
  return keys.encryption
}

test('what is encrypted here is opened by eciesjs, and the other way round, whatever the keys', () => {
  for (let time = 0; time < TIMES; time++) {
    const key = newKey()
    const text = `Zoë pays ${time} ₿`.repeat(time)
    expect(Buffer.from(decrypt(key.secret, ecies.encryptFor(key.publicKeyHex, text))).toString('utf8')).toBe(text)
    expect(ecies.decryptWith(key, Buffer.from(encrypt(Buffer.from(key.publicKeyHex, 'hex'), Buffer.from(text))))).toBe(
      text,
    )
  }
}, 60_000)

test('what is encrypted is opened by its own key only, and never twice the same', () => {
  const key = newKey()
  for (let time = 0; time < TIMES; time++)
    expect(ecies.decryptWith(key, ecies.encryptFor(key.publicKeyHex, 'text'))).toBe('text')
  expect(ecies.encryptFor(key.publicKeyHex, 'text')).not.toEqual(ecies.encryptFor(key.publicKeyHex, 'text'))
  expect(() => ecies.decryptWith(newKey(), ecies.encryptFor(key.publicKeyHex, 'text'))).toThrow()
})

test('messages to one receiver share an ephemeral key for a minute, and no receivers share one', () => {
  const [key, other] = [newKey(), newKey()]
  const pointOf = (message: Buffer): string => message.subarray(0, POINT_BYTES).toString('hex')
  const first = ecies.encryptFor(key.publicKeyHex, 'text')
  nowMs += 59_999
  const second = ecies.encryptFor(key.publicKeyHex, 'text')
  expect(pointOf(second)).toBe(pointOf(first))
  expect(second.subarray(POINT_BYTES, POINT_BYTES + 16)).not.toEqual(first.subarray(POINT_BYTES, POINT_BYTES + 16))
  expect(pointOf(ecies.encryptFor(other.publicKeyHex, 'text'))).not.toBe(pointOf(first))
  nowMs += 1
  expect(pointOf(ecies.encryptFor(key.publicKeyHex, 'text'))).not.toBe(pointOf(first))
  // Whoever opens them has seen their key before, or has not.
  for (const message of [first, second, first]) {
    expect(ecies.decryptWith(key, message)).toBe('text')
    expect(makeEcies(clock).decryptWith(key, message)).toBe('text')
    expect(() => ecies.decryptWith(other, message)).toThrow('it does not open')
  }
})

test('what was changed at any byte, or is cut short, does not open', () => {
  const key = newKey()
  const whole = ecies.encryptFor(key.publicKeyHex, 'text')
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => ecies.decryptWith(key, changed)).toThrow()
    expect(() => ecies.decryptWith(key, whole.subarray(0, at))).toThrow()
  }
})

test('a point that is not of the curve is refused on both sides', () => {
  const key = newKey()
  const off = Buffer.from(key.publicKeyHex, 'hex')
  off[64] = (off[64] ?? 0) ^ 1
  expect(() => ecies.encryptFor(off.toString('hex'), 'text')).toThrow()
  const message = ecies.encryptFor(key.publicKeyHex, 'text')
  expect(() => ecies.decryptWith(key, Buffer.concat([off, message.subarray(65)]))).toThrow()
})
