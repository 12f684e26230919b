import { describe, expect, it } from 'vitest'
import { errorKey, readFormError } from './form-errors'

const TEXTS = { 'amount.invalid': 'Enter a number.', failed: 'Try again.' }

describe('readFormError', () => {
  it('returns the text of an error under the field at fault', () => {
    expect(readFormError(TEXTS, errorKey({ field: 'amount', code: 'invalid' }))).toEqual({ amount: 'Enter a number.' })
  })

  it('returns the text of an error without a field under “form”', () => {
    expect(readFormError(TEXTS, errorKey({ code: 'failed' }))).toEqual({ form: 'Try again.' })
  })

  it.each(['', 'unknown', 'amount.unknown', 'constructor', '__proto__', 'amount'])(
    'returns a general text under “form” for the unknown error %j',
    (key) => {
      expect(readFormError(TEXTS, key)).toEqual({ form: expect.stringMatching(/on our side/) })
    },
  )

  it('returns no text without an error', () => {
    expect(readFormError(TEXTS, undefined)).toEqual({})
  })
})
