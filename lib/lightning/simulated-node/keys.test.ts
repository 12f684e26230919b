import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '@/lib/platform/clock'
import type { Database } from '@/lib/platform/db/database'
import { makeLog } from '@/lib/platform/log'
import { newNodeSecret } from '@/test/vasp/keys'
import { isSignedBy, makeNodeKey, readPeerKey } from './keys'
import { makeSimulatedNode } from './node'
import { answerText, requestText, type SignedRequest } from './signature'

const key = makeNodeKey(newNodeSecret())
const peer = readPeerKey(key.publicKeyHex)

function asKeyObject(point: Uint8Array): KeyObject {
  const part = (from: number): string => Buffer.from(point.subarray(from, from + 32)).toString('base64url')
  return createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: part(1), y: part(33) }, format: 'jwk' })
}

describe('the key of a node', () => {
  it('signs with ECDSA over SHA-256, r and s concatenated, for the public key that peers know', () => {
    const signature = key.sign('a text')
    expect(signature).toMatch(/^[0-9a-f]{128}$/)
    const bytes = Buffer.from(signature, 'hex')
    expect(verify('sha256', Buffer.from('a text'), { key: asKeyObject(peer), dsaEncoding: 'ieee-p1363' }, bytes)).toBe(
      true,
    )
    expect(isSignedBy(peer, 'a text', signature)).toBe(true)
  })

  it('creates signatures that are valid for no other text and no other key', () => {
    const signature = key.sign('a text')
    expect(isSignedBy(peer, 'a text ', signature)).toBe(false)
    expect(isSignedBy(readPeerKey(makeNodeKey(newNodeSecret()).publicKeyHex), 'a text', signature)).toBe(false)
  })

  it.each(['', 'ab', '0'.repeat(128), 'f'.repeat(128), 'x'.repeat(128), 'ab'.repeat(65), '3044'.repeat(32)])(
    'accepts no other text as a signature, and does not throw: %s',
    (signature) => {
      expect(isSignedBy(peer, 'a text', signature)).toBe(false)
    },
  )

  it('is valid for the smallest secret, whose digits are mostly zeros', () => {
    const small = makeNodeKey('1'.padStart(64, '0'))
    expect(small.publicKeyHex).toBe('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798')
    expect(isSignedBy(readPeerKey(small.publicKeyHex), 'a text', small.sign('a text'))).toBe(true)
  })

  it.each([`02${'ff'.repeat(32)}`, `03${'00'.repeat(32)}`, '00', `06${key.publicKeyHex.slice(2)}`])(
    'is rejected for a peer when it is not a point on the curve: %s',
    (hex) => {
      expect(() => readPeerKey(hex)).toThrow(/^LIGHTNING_PEERS .*: .*\.$/)
    },
  )
})

describe('the signed text', () => {
  const request: SignedRequest = {
    payer: key.publicKeyHex,
    path: '/sandbox-ln/v1/pay',
    host: 'localhost:3001',
    timestamp: '1800000000000',
    nonce: 'ab'.repeat(16),
    body: '{}',
  }

  it('equals the text in the documentation, line by line', () => {
    const bodyHash = createHash('sha256').update('{}').digest('hex')
    const text = requestText(request)
    expect(text.split('\n')).toEqual([
      'sandbox-ln request',
      key.publicKeyHex,
      'POST',
      '/sandbox-ln/v1/pay',
      'localhost:3001',
      '1800000000000',
      request.nonce,
      bodyHash,
    ])
    expect(answerText(request, 200, '{}').split('\n')).toEqual([
      'sandbox-ln answer',
      request.nonce,
      createHash('sha256').update(text).digest('hex'),
      '200',
      bodyHash,
    ])
  })

  it('changes with every part of a request and of its answer', () => {
    const changes: Partial<SignedRequest>[] = [
      {},
      { payer: '02' },
      { path: '/sandbox-ln/v1/track' },
      { host: 'localhost:3000' },
      { timestamp: '1800000000001' },
      { nonce: 'cd'.repeat(16) },
      { body: '{ }' },
    ]
    expect(new Set(changes.map((change) => requestText({ ...request, ...change }))).size).toBe(changes.length)
    expect(new Set(changes.map((change) => answerText({ ...request, ...change }, 200, ''))).size).toBe(changes.length)
    expect(answerText(request, 201, '')).not.toBe(answerText(request, 200, ''))
  })
})

describe('creating a node', () => {
  it('calls neither the network nor the database', () => {
    const query = vi.fn()
    const post = vi.fn()
    const node = makeSimulatedNode({
      secretHex: newNodeSecret(),
      peers: [{ publicKeyHex: key.publicKeyHex, origin: 'http://localhost:3001' }],
      db: { query } as unknown as Database,
      clock: systemClock,
      publicOrigin: 'http://localhost:3000',
      peerLimitMsats: 1n,
      creditPlanner: { planCredit: () => Promise.resolve({ failure: 'unknown' }) },
      log: makeLog('silent', 'test'),
      rateLimits: true,
      post,
    })
    expect(node.accountFor(key.publicKeyHex)).toBe(key.publicKeyHex)
    expect([query.mock.calls, post.mock.calls]).toEqual([[], []])
  })
})
