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
  ['--accept-node', KEY, '--whole'],
  ['--whole=no'],
])('refuses wrong arguments in one line: %s', (...args) => {
  expect(() => readAuditArguments(args)).toThrow(/^[^\n]+$/)
})

it('takes the losses to acknowledge, whether payments continue, and the key of a node', () => {
  expect(readAuditArguments([])).toEqual({ acknowledge: [], whole: false, acceptNode: undefined })
  expect(readAuditArguments(['--accept-node', KEY])).toEqual({ acknowledge: [], whole: false, acceptNode: KEY })
  expect(readAuditArguments(['--whole', '--acknowledge=1,2'])).toEqual({
    acknowledge: ['1', '2'],
    whole: true,
    acceptNode: undefined,
  })
})
