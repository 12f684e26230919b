import { expect, it } from 'vitest'
import { endOf } from './times'

it.each([
  ['Expired', 'past', 999],
  ['Expired', 'present', 1_000],
  ['Expires', 'future', 1_001],
  ['Does not expire', 'absent', null],
])('writes "%s" when the expiry is %s', (words, _when, expiresAtSeconds) => {
  expect(endOf({ expiresAtSeconds }, 1_000)).toMatch(new RegExp(`^${words}( |$)`))
})
