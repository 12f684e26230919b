import { describe, expect, it } from 'vitest'
import { FAILURES } from '../lightning/node'
import { failureMessage, paidAs, paymentFailed } from './errors'

const KINDS = ['invoice', 'quote', 'keysend'] as const

it.each(FAILURES)('the text about the failure %s says that nothing was taken', (failure) => {
  for (const kind of KINDS)
    for (const expired of [true, false]) expect(failureMessage(failure, kind, expired)).toMatch(/Nothing was taken/)
})

describe('a payment that ran out', () => {
  const RAN_OUT = ['never-sent', 'expired', 'late'] as const

  it.each([
    ['invoice', 'Ask for a new invoice.'],
    ['quote', 'Get a new quote.'],
  ] as const)('is not called cancelled, and only a new %s is advised', (kind, advice) => {
    for (const failure of RAN_OUT) {
      const text = failureMessage(failure, kind, true)
      expect(text).toContain(`did not accept the payment before the ${kind} expired. ${advice}`)
      expect(text).not.toMatch(/cancelled|try again/i)
    }
  })

  it.each(FAILURES)('says nothing about an invoice or a quote when it is a keysend: %s', (failure) => {
    for (const expired of [true, false])
      expect(failureMessage(failure, 'keysend', expired)).not.toMatch(/invoice|quote/)
  })

  it.each(FAILURES)('says nothing about an invoice when it pays a quote: %s', (failure) => {
    for (const expired of [true, false]) expect(failureMessage(failure, 'quote', expired)).not.toContain('invoice')
  })
})

it.each([
  ['invoice', /If the invoice is still valid, try again.*If it has expired, ask for a new one/],
  ['quote', /If the quote is still valid, try again.*If it has expired, get a new one/],
  ['keysend', /gave it up\. Try again in a moment\./],
] as const)('a payment of a %s that was given up is advised to try again only while that can work', (kind, advice) => {
  expect(failureMessage('never-sent', kind)).toMatch(advice)
  expect(paymentFailed('never-sent', kind)).toMatchObject({ status: 503, message: failureMessage('never-sent', kind) })
})

it('a payment of a quote has an invoice too, and its payer knows the quote', () => {
  expect(paidAs({ invoice: 'lnbcrt1', isQuoted: true })).toBe('quote')
  expect(paidAs({ invoice: 'lnbcrt1', isQuoted: false })).toBe('invoice')
  expect(paidAs({ invoice: null, isQuoted: false })).toBe('keysend')
})
