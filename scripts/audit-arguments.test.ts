import { createECDH } from 'node:crypto'
import { expect, it } from 'vitest'
import { readAuditArguments } from './audit-arguments'

const ecdh = createECDH('secp256k1')
ecdh.generateKeys()
const KEY = ecdh.getPublicKey('hex', 'compressed')

it.each([
  ['--acknowledge'],
  ['--acknowledge='],
  ['--acknowledge=all'],
  ['--acknowledge=1', '2'],
  ['17'],
  ['--accept-node'],
  ['--accept-node='],
  ['--accept-node', KEY.slice(2)],
  ['--accept-node', `02${'f'.repeat(64)}`],
  ['--accept-node', KEY.toUpperCase()],
  ['--accept-node', KEY, '--acknowledge=1'],
])('refuses wrong arguments in one line: %s', (...args) => {
  expect(() => readAuditArguments(args)).toThrow(/^[^\n]+$/)
})

it('takes the key of a node', () => {
  expect(readAuditArguments(['--accept-node', KEY])).toEqual({ acknowledged: [], acceptNode: KEY })
  expect(readAuditArguments([])).toEqual({ acknowledged: [], acceptNode: undefined })
})
