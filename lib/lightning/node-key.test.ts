import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nodePublicKey } from './node-key'

describe('nodePublicKey', () => {
  it('is the compressed point of the secret: the generator itself for 1', () => {
    expect(nodePublicKey('1'.padStart(64, '0'))).toBe(
      '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    )
  })

  it('is the same each time for the same secret', () => {
    const secret = randomBytes(32).toString('hex').replace(/^./, '7')
    expect(nodePublicKey(secret)).toMatch(/^0[23][0-9a-f]{64}$/)
    expect(nodePublicKey(secret)).toBe(nodePublicKey(secret))
  })

  it.each([
    ['missing', undefined],
    ['zero', '0'.repeat(64)],
    ['beyond the curve’s order', 'f'.repeat(64)],
  ])('stops startup for a secret that is %s, with a message that does not contain the secret', (_why, secret) => {
    const make = (): unknown => nodePublicKey(secret)
    expect(make).toThrow(/^LIGHTNING_NODE_KEY .*: .*\.$/)
    expect(make).not.toThrow(/0{64}|f{64}/)
  })
})
