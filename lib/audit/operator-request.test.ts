import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AuditRequest } from './auditor'
import { isOperatorCredential, operatorCredential } from './operator-request'

const secret = randomBytes(32).toString('hex')
const NOW = 1_800_000_000
const BODY = '{"acknowledge":["17"]}'
const credentialAt = (at: number, key = secret): string => operatorCredential(key, at, BODY, 'audit')
const isValid = (header: string | null): boolean => isOperatorCredential(header, secret, NOW, BODY, 'audit')

describe('the credential of an operator’s request', () => {
  it.each([NOW, NOW - 60, NOW + 60])(
    'is valid within a minute when signed with the same secret: created at %d',
    (at) => {
      expect(isValid(credentialAt(at))).toBe(true)
    },
  )

  it.each([
    ['a minute and a second old', NOW - 61],
    ['a minute and a second ahead', NOW + 61],
    ['an hour old', NOW - 3_600],
    ['a day ahead', NOW + 86_400],
    ['from 1970', 0],
  ])('is rejected when it is %s', (_, at) => {
    expect(isValid(credentialAt(at))).toBe(false)
  })

  it('is rejected when signed with another or an empty secret', () => {
    for (const other of [randomBytes(32).toString('hex'), secret.toUpperCase(), `${secret}0`, ''])
      expect(isValid(credentialAt(NOW, other))).toBe(false)
  })

  it('cannot be renewed, because its time is signed', () => {
    const old = credentialAt(NOW - 3_600)
    expect(isValid(old.replace(String(NOW - 3_600), String(NOW)))).toBe(false)
  })

  it('is valid for exactly the body and the subject that it covers', () => {
    for (const other of ['', '{}', `${BODY} `, '{"acknowledge":["18"]}'])
      expect(isOperatorCredential(credentialAt(NOW), secret, NOW, other, 'audit')).toBe(false)
    for (const about of ['payments', 'users'] as const)
      expect(isOperatorCredential(credentialAt(NOW), secret, NOW, BODY, about)).toBe(false)
  })

  it('is rejected when any one character is changed', () => {
    const good = credentialAt(NOW)
    for (let place = 0; place < good.length; place++) {
      const changed = good.slice(0, place) + (good[place] === 'A' ? 'B' : 'A') + good.slice(place + 1)
      // The last of 43 characters carries two bits that belong to no byte, so another letter may decode to the same 32
      // bytes. The text itself is therefore compared.
      expect(isValid(changed)).toBe(false)
    }
  })

  const [scheme = '', rest = ''] = credentialAt(NOW).split(' ')
  it.each([
    ['missing', null],
    ['empty', ''],
    ['only a scheme', 'Operator '],
    ['under another scheme', `Bearer ${rest}`],
    ['in lower case', `operator ${rest}`],
    ['twice', `${scheme} ${rest}, ${scheme} ${rest}`],
    ['without a time', `${scheme} .${rest.split('.')[1] ?? ''}`],
    ['with a negative time', `${scheme} -${rest}`],
    ['with a time of 400 digits', `${scheme} ${'9'.repeat(400)}.${rest.split('.')[1] ?? ''}`],
    ['with a shorter MAC', `${scheme} ${rest.slice(0, -1)}`],
    ['with a longer MAC', `${scheme} ${rest}A`],
    ['with a MAC of other characters', `${scheme} ${NOW}.${'+'.repeat(43)}`],
    ['with a MAC of two-byte characters', `${scheme} ${NOW}.${'é'.repeat(43)}`],
    ['with a line break after it', `${scheme} ${rest}\n`],
    ['with a space before it', ` ${scheme} ${rest}`],
  ])('is rejected without an exception: %s', (_, header) => {
    expect(isValid(header)).toBe(false)
  })
})

describe('the list of acknowledged payments', () => {
  it('is read as ids', () => {
    const acknowledge = ['17', '18', '900000000000000000']
    expect(AuditRequest.parse({ acknowledge })).toEqual({ acknowledge: [17n, 18n, 900_000_000_000_000_000n] })
    expect(AuditRequest.parse({})).toEqual({})
  })

  it.each(['', ' 17', '17 18', '0', '-1', '1e3', '017', '9'.repeat(19), 'all'])('is refused with %j', (id) => {
    expect(AuditRequest.safeParse({ acknowledge: ['17', id] }).success).toBe(false)
  })

  it('is refused when it is empty or has more than a hundred ids', () => {
    for (const acknowledge of [[], Array.from({ length: 101 }, () => '17')])
      expect(AuditRequest.safeParse({ acknowledge }).success).toBe(false)
  })
})
