import { expect, it } from 'vitest'
import { FAILURES } from '../lightning/node'
import { failureMessage, paymentFailed } from './errors'

it.each(FAILURES)('the text about the failure %s says that nothing was taken', (failure) => {
  for (const expired of [true, false]) expect(failureMessage(failure, expired)).toMatch(/Nothing was taken/)
})

it.each(['never-sent', 'expired', 'late'] as const)(
  'a payment that ran out (%s) is not called cancelled, and no retry of an expired invoice is advised',
  (failure) => {
    const text = failureMessage(failure, true)
    expect(text).toMatch(/did not accept the payment before the invoice expired\. Ask for a new invoice/)
    expect(text).not.toMatch(/cancelled|try again/i)
  },
)

it('a payment that was given up is advised to try again only while its invoice is valid', () => {
  expect(failureMessage('never-sent')).toMatch(/If the invoice is still valid, try again.*If it has expired, ask/)
  expect(paymentFailed('never-sent')).toMatchObject({ status: 503, message: failureMessage('never-sent') })
})
