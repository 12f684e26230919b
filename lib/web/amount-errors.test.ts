import { expect, it } from 'vitest'
import { readFormError } from '@/lib/web/form-errors'
import { commaErrors } from './amount-errors'

it.each([
  ['ambiguous', '1,234', '1,234 can mean 1234 or 1.234. Type one of these. Nothing was paid.'],
  ['comma', '12,50', 'Use a point for decimals. Nothing was paid.'],
  // An address in the address bar cannot supply its own text.
  ['ambiguous', '<b>,x', 'Use a point for decimals. Nothing was paid.'],
  ['ambiguous', undefined, 'Use a point for decimals. Nothing was paid.'],
])('a form with the error amount.%s and the typed text %j says: %s', (code, typed, text) => {
  expect(readFormError(commaErrors('amount', typed, 'Nothing was paid.'), `amount.${code}`)).toEqual({ amount: text })
})
