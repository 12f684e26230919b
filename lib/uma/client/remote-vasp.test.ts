import { expect, test } from 'vitest'
import { refusalForLog } from './remote-vasp'

test.each<[string, string, unknown]>([
  [
    'a code',
    '{"code":"AMOUNT_OUT_OF_RANGE","reason":"Too small."}',
    { code: 'AMOUNT_OUT_OF_RANGE', reason: 'Too small.' },
  ],
  ['a code with other characters', '{"code":"x; rm","reason":"no"}', { reason: 'no' }],
  ['an address', '{"reason":"$carol@bank.example owes <carol@mail.example>, ask"}', { reason: '… owes … ask' }],
  ['a phone number', '{"reason":"call +49 (30) 123-4567 now"}', { reason: 'call … now' }],
  ['a key', `{"reason":"key ${'a1'.repeat(32)} is bad"}`, { reason: 'key … is bad' }],
  ['forged log lines', '{"reason":"a\\n{\\"level\\":30}"}', { reason: 'a {"level":30}' }],
  ['a text that is not JSON', '<html>carol@mail.example</html>', {}],
  ['a reason that is not text', '{"reason":7}', {}],
])('the log keeps no private text of a refusal with %s', (_what, text, kept) => {
  expect(refusalForLog(text)).toEqual(kept)
})

test('the log keeps the beginning of a long reason', () => {
  expect(refusalForLog(JSON.stringify({ reason: 'so '.repeat(1_000) })).reason).toHaveLength(100)
})
