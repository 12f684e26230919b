import { expect, it } from 'vitest'
import { readPaymentsArguments } from './payments-arguments'

const HASH = 'ab'.repeat(32)
const NODE = `02${'cd'.repeat(32)}`

it.each([
  [['--list'], { do: 'list' }],
  [[`--fail=${HASH}`], { do: 'fail', paymentHash: HASH, because: 'it is gone', by: 'ops' }],
  [
    [`--accept=${NODE}`, '--sent=17000', '--received=0'],
    { do: 'accept', peer: NODE, sentMsats: '17000', receivedMsats: '0', because: 'it is gone', by: 'ops' },
  ],
])('%j becomes a request', (args, request) => {
  expect(readPaymentsArguments([...args, '--because=it is gone', '--by=ops'])).toEqual(request)
})

it.each([
  [[], 'Give one of --list, --fail and --accept.'],
  [['--list', `--fail=${HASH}`, '--because=x'], 'Give one of --list, --fail and --accept.'],
  [['--fail', HASH], '--because is missing.'],
  [[`--fail=${HASH}`, '--because='], '--because takes a reason: one line of at most 500 characters.'],
  [[`--fail=${HASH}`, '--because=a\nb'], '--because takes a reason: one line of at most 500 characters.'],
  [[`--fail=${HASH}`, '--because=x', '--by='], '--by takes a name: one line of at most 200 characters.'],
  [['--fail=short', '--because=x'], '--fail takes the payment hash of --list: 64 lower-case hex digits.'],
  [
    [`--fail=${HASH.toUpperCase()}`, '--because=x'],
    '--fail takes the payment hash of --list: 64 lower-case hex digits.',
  ],
  [
    ['--accept=me', '--sent=1', '--received=0', '--because=x'],
    '--accept takes the public key of a node: 66 lower-case hex digits, the first two 02 or 03.',
  ],
  [[`--accept=${NODE}`, '--received=0', '--because=x'], '--sent is missing.'],
  [[`--accept=${NODE}`, '--sent=1', '--because=x'], '--received is missing.'],
  [
    [`--accept=${NODE}`, '--sent=all', '--received=0', '--because=x'],
    '--sent takes millisatoshis as npm run audit names them, such as 25000.',
  ],
  [
    [`--accept=${NODE}`, '--sent=1', '--received=-1', '--because=x'],
    '--received takes millisatoshis as npm run audit names them, such as 25000.',
  ],
  [['--everything'], "Unknown option '--everything'."],
  [['list'], "Unexpected argument 'list'."],
  [['--fail'], "Option '--fail <value>' argument missing."],
])('%j names the wrong argument', (args, complaint) => {
  expect(() => readPaymentsArguments(args)).toThrow(new Error(complaint))
})
