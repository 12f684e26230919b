import { describe, expect, it } from 'vitest'
import { errorKey, readFormError } from './form-errors'

const TEXTS = { 'amount.invalid': 'Enter a number.', failed: 'Try again.' }

describe('readFormError', () => {
  it('gives the field at fault the text of its error', () => {
    expect(readFormError(TEXTS, errorKey({ field: 'amount', code: 'invalid' }))).toEqual({ amount: 'Enter a number.' })
  })

  it('gives the form the text of an error without a field', () => {
    expect(readFormError(TEXTS, errorKey({ code: 'failed' }))).toEqual({ form: 'Try again.' })
  })

  it.each(['', 'unknown', 'amount.unknown', 'constructor', '__proto__', 'amount'])(
    'gives the form a text of our own for the unknown error %j',
    (key) => {
      expect(readFormError(TEXTS, key)).toEqual({ form: expect.stringMatching(/on our side/) })
    },
  )

  it('gives no text without an error', () => {
    expect(readFormError(TEXTS, undefined)).toEqual({})
  })
})
