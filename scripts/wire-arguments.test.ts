import { expect, it } from 'vitest'
import { readWireArguments } from './wire-arguments'

it.each([
  [[], { request: { limit: 50 }, json: false, follow: false }],
  [
    ['--user=alice', '--limit', '1000', '--json', '--follow'],
    { request: { user: 'alice', limit: 1_000 }, json: true, follow: true },
  ],
])('%j becomes a request', (args, expected) => {
  expect(readWireArguments(args)).toEqual(expected)
})

it.each([
  [['--limit=0'], '--limit takes a whole number of at least 1.'],
  [['--limit=1.5'], '--limit takes a whole number of at least 1.'],
  [['--limit=1001'], '--limit takes at most 1000.'],
  [['--user='], '--user takes a user name: 1 to 63 of the characters a-z 0-9 _ . + -'],
  [['--user=Al ice'], '--user takes a user name: 1 to 63 of the characters a-z 0-9 _ . + -'],
  [['--user'], "Option '--user <value>' argument missing."],
  [['--tail'], "Unknown option '--tail'."],
  [['alice'], "Unexpected argument 'alice'."],
])('%j names the wrong argument', (args, complaint) => {
  expect(() => readWireArguments(args)).toThrow(new Error(complaint))
})
