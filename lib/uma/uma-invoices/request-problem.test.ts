import { expect, test } from 'vitest'
import { problemSentence } from '@/app/(dashboard)/wallets/receive/sentences'
import { VaspError, badInput, busy, rateLimited, theirFault } from '../../platform/errors'
import { requestProblem } from './request-problem'

test.each([
  ['their silence', theirFault('silent', ''), 'their-silent'],
  ['their refusal', theirFault('refused', ''), 'their-refused'],
  ['an address that nobody has', new VaspError(404, 'NOT_FOUND', ''), 'nobody'],
  ['too many requests', rateLimited(1), 'many'],
  ['a crowd', busy(1), 'many'],
  ['terms that cannot be', badInput(''), 'uma-amount'],
  ['a failure of ours', new VaspError(500, 'INTERNAL', ''), undefined],
])('%s is told apart from every other reason', (_what, error, word) => expect(requestProblem(error)).toBe(word))

test.each(['silent', 'refused', 'unusable', 'closed'] as const)(
  'a request that failed because their side is %s says so of their VASP, and what to do',
  (fault) => {
    const problem = requestProblem(theirFault(fault, 'bank.example says: click http://evil.example'))
    const sentence = problemSentence(problem) ?? ''
    expect(sentence).toMatch(/^Their VASP/)
    expect(sentence.split('. ').length).toBeGreaterThan(1)
    expect(sentence).not.toMatch(/evil/)
  },
)

test('only the silence of their side leaves open whether they have the request', () => {
  expect(problemSentence('their-silent')).toMatch(/did not say whether it has/)
  for (const word of ['payer', 'nobody', 'many', 'their-refused', 'their-unusable', 'their-closed'])
    expect(problemSentence(word)).toMatch(/nobody was asked/)
})
