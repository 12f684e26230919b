import { expect, it } from 'vitest'
import { endOf } from './times'

it.each([
  ['Ended', 'past', 999],
  ['Ended', 'present', 1_000],
  ['Ends', 'future', 1_001],
  ['No end', 'absent', null],
])('writes "%s" for an end in the %s', (words, _when, expiresAtSeconds) => {
  expect(endOf({ expiresAtSeconds }, 1_000)).toMatch(new RegExp(`^${words}( |$)`))
})
