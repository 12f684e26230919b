import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  auditCredential,
  isAuditCredential,
  isOperatorCredential,
  operatorCredential,
  readPaymentIds,
} from './operator-request'

const secret = randomBytes(32).toString('hex')
const NOW = 1_800_000_000

describe('the credential of npm run audit', () => {
  it.each([NOW, NOW - 60, NOW + 60])(
    'is valid within a minute when signed with the same secret: created at %d',
    (at) => {
      expect(isAuditCredential(auditCredential(secret, at), secret, NOW)).toBe(true)
    },
  )

  it.each([
    ['a minute and a second old', NOW - 61],
    ['a minute and a second ahead', NOW + 61],
    ['an hour old', NOW - 3_600],
    ['a day ahead', NOW + 86_400],
    ['from 1970', 0],
  ])('is rejected when it is %s', (_, at) => {
    expect(isAuditCredential(auditCredential(secret, at), secret, NOW)).toBe(false)
  })

  it('is rejected when signed with another or an empty secret', () => {
    for (const other of [randomBytes(32).toString('hex'), secret.toUpperCase(), `${secret}0`, ''])
      expect(isAuditCredential(auditCredential(other, NOW), secret, NOW)).toBe(false)
  })

  it('cannot be renewed, because its time is signed', () => {
    const old = auditCredential(secret, NOW - 3_600)
    expect(isAuditCredential(old.replace(String(NOW - 3_600), String(NOW)), secret, NOW)).toBe(false)
  })

  it('is valid for exactly the losses that it covers', () => {
    const credential = auditCredential(secret, NOW, '17,18')
    expect(isAuditCredential(credential, secret, NOW, '17,18')).toBe(true)
    for (const other of ['', '17', '17,19', '18,17', '17,18,19'])
      expect(isAuditCredential(credential, secret, NOW, other)).toBe(false)
    expect(isAuditCredential(auditCredential(secret, NOW), secret, NOW, '17')).toBe(false)
  })

  it('is rejected when any one character is changed', () => {
    const good = auditCredential(secret, NOW)
    for (let place = 0; place < good.length; place++) {
      const changed = good.slice(0, place) + (good[place] === 'A' ? 'B' : 'A') + good.slice(place + 1)
      // The last of 43 characters carries two bits that belong to no byte, so another letter may decode to the same 32
      // bytes. The text itself is therefore compared.
      expect(isAuditCredential(changed, secret, NOW)).toBe(false)
    }
  })

  const [scheme = '', rest = ''] = auditCredential(secret, NOW).split(' ')
  it.each([
    ['missing', null],
    ['empty', ''],
    ['only a scheme', 'Audit '],
    ['under another scheme', `Bearer ${rest}`],
    ['in lower case', `audit ${rest}`],
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
    expect(isAuditCredential(header, secret, NOW)).toBe(false)
  })
})

describe('the credential of npm run payments', () => {
  const body = '{"do":"list"}'
  const good = operatorCredential(secret, NOW, body)

  it('is valid for its body, within a minute', () => {
    for (const now of [NOW - 60, NOW, NOW + 60]) expect(isOperatorCredential(good, secret, now, body)).toBe(true)
    for (const now of [NOW - 61, NOW + 61]) expect(isOperatorCredential(good, secret, now, body)).toBe(false)
    for (const other of ['', '{}', `${body} `]) expect(isOperatorCredential(good, secret, NOW, other)).toBe(false)
  })

  it('is rejected when it is missing or was created with another secret or scheme', () => {
    const other = operatorCredential(randomBytes(32).toString('hex'), NOW, body)
    for (const header of [other, null, '', good.replace('Operator', 'Audit'), good.replace('Operator', 'Bearer')])
      expect(isOperatorCredential(header, secret, NOW, body)).toBe(false)
  })

  it('is not interchangeable with the credential of npm run audit', () => {
    expect(isAuditCredential(good, secret, NOW)).toBe(false)
    expect(isAuditCredential(good.replace('Operator', 'Audit'), secret, NOW)).toBe(false)
    expect(isAuditCredential(good.replace('Operator', 'Audit'), secret, NOW, body)).toBe(false)
    for (const what of ['', body]) {
      const audit = auditCredential(secret, NOW, what).replace('Audit', 'Operator')
      expect(isOperatorCredential(audit, secret, NOW, what)).toBe(false)
    }
  })
})

describe('the list of acknowledged payments', () => {
  it('is read from ids separated by commas', () => {
    expect(readPaymentIds('17')).toEqual([17n])
    expect(readPaymentIds('17,18,900000000000000000')).toEqual([17n, 18n, 900_000_000_000_000_000n])
  })

  it.each(['', ',', '17,', ',17', '17 18', '0', '-1', '1e3', '017', '9'.repeat(19), 'all', '17,'.repeat(100) + '17'])(
    'is undefined for %j',
    (text) => {
      expect(readPaymentIds(text)).toBeUndefined()
    },
  )
})
