import { createPrivateKey, sign as opensslSign, verify as opensslVerify } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { NOT_POINTS } from '@/test/uma/not-points'
import { isSignedBy, newKeyPair, secretJwk, sharedPoint, sign, uncompressed } from './secp256k1'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const content = Buffer.from('a text')
const { secret, point } = newKeyPair()
const keyObject = createPrivateKey({ key: secretJwk(Buffer.from(secret), Buffer.from(point)), format: 'jwk' })
const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
const compact = (r: Uint8Array, s: bigint): Buffer => Buffer.concat([r, bytesOf(s)])
const signature = Buffer.from(sign(content, secret))
const r = signature.subarray(0, 32)
const s = BigInt(`0x${signature.toString('hex', 32)}`)
const isValid = (given: Uint8Array, encoding: 'der' | 'p1363' = 'p1363'): boolean =>
  isSignedBy(point, content, { encoding, signature: given })

/** The DER of a signature, with zeros before r that DER forbids if asked. */
function der(given: Buffer, zeros = 0): Buffer {
  const integer = (bytes: Buffer, more: number): Buffer => {
    const trimmed = Buffer.from(bytes.toString('hex').replace(/^(?:00)+/, ''), 'hex')
    const value = Buffer.concat([Buffer.alloc(more + ((trimmed[0] ?? 0) >> 7)), trimmed])
    return Buffer.concat([Buffer.of(2, value.length), value])
  }
  const body = Buffer.concat([integer(given.subarray(0, 32), zeros), integer(given.subarray(32), 0)])
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

describe('a signature', () => {
  it('is verified by OpenSSL and verifies those of OpenSSL, in both encodings and with both values of s', () => {
    for (const [dsaEncoding, encoding] of [
      ['der', 'der'],
      ['ieee-p1363', 'p1363'],
    ] as const)
      // OpenSSL chooses s at random.
      for (let time = 0; time < 20; time++)
        expect(isValid(opensslSign('sha256', content, { key: keyObject, dsaEncoding }), encoding)).toBe(true)
    expect(opensslVerify('sha256', content, { key: keyObject, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
    expect(isValid(compact(r, ORDER - s))).toBe(true)
    expect(isValid(der(signature), 'der')).toBe(true)
  })

  it('has the smaller s', () => {
    for (let time = 0; time < 20; time++)
      expect(BigInt(`0x${Buffer.from(sign(Buffer.of(time), secret)).toString('hex', 32)}`)).toBeLessThan(ORDER / 2n)
  })

  it('leaves the given bytes unchanged', () => {
    const high = compact(r, ORDER - s)
    const copy = Buffer.from(high)
    isValid(high)
    expect(high).toEqual(copy)
  })

  it.each<[string, Buffer]>([
    ['r is zero', compact(Buffer.alloc(32), s)],
    ['s is zero', compact(r, 0n)],
    ['s is the order of the curve', compact(r, ORDER)],
    ['s is beyond the order', compact(r, ORDER + 1n)],
    ['r is beyond the order', compact(bytesOf(ORDER), s)],
    ['a byte is missing', signature.subarray(0, 63)],
    ['a byte is added', Buffer.concat([signature, Buffer.of(0)])],
    ['it is empty', Buffer.alloc(0)],
  ])('is refused when %s', (_, given) => {
    expect(isValid(given)).toBe(false)
    expect(isValid(der(given), 'der')).toBe(false)
  })

  it.each<[string, Buffer]>([
    ['has a byte after its end', Buffer.concat([der(signature), Buffer.of(0)])],
    ['has a zero too many', der(signature, 2)],
    ['is truncated', der(signature).subarray(0, -1)],
    ['names another length', Buffer.from(der(signature)).fill(0x44, 1, 2).fill(0x30, 0, 1).subarray(0, 20)],
    ['is not DER', signature],
  ])('in DER is refused when it %s', (_, given) => {
    expect(isValid(given, 'der')).toBe(false)
  })

  it.each(NOT_POINTS)('is refused for %s', (_, change) => {
    expect(isSignedBy(change(Buffer.from(point)), content, { encoding: 'p1363', signature })).toBe(false)
  })
})

describe('a shared point', () => {
  it('is the same from both sides: 65 bytes that begin with 04', () => {
    const other = newKeyPair()
    const shared = sharedPoint(other.point, secret)
    expect(Buffer.from(shared).equals(sharedPoint(point, other.secret))).toBe(true)
    expect([shared.length, shared[0]]).toEqual([65, 4])
  })

  it('is the other side’s own point for the secret 1', () => {
    expect(Buffer.from(sharedPoint(point, bytesOf(1n))).equals(point)).toBe(true)
  })

  it.each([0n, ORDER, ORDER + 1n, 2n ** 256n - 1n])('is refused for the secret %s', (value) => {
    expect(() => sharedPoint(point, bytesOf(value))).toThrow()
  })

  it.each(NOT_POINTS)('is refused for %s', (_, change) => {
    expect(() => sharedPoint(change(Buffer.from(point)), secret)).toThrow()
  })
})

test('a compressed key is the same point', () => {
  const y = (point[64] ?? 0) & 1
  expect(Buffer.from(uncompressed(Buffer.concat([Buffer.of(2 + y), point.subarray(1, 33)]))).equals(point)).toBe(true)
})
