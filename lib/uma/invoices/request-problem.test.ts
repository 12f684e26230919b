import { expect, test } from 'vitest'
import { requestError, UMA_INVOICE_ERRORS } from '@/app/(dashboard)/wallets/receive/errors'
import { badInput, busy, rateLimited, remoteFault, VaspError } from '../../platform/errors'
import { errorKey } from '../../web/form-errors'
import { requestProblem, type RequestProblem } from './request-problem'

const textOf = (problem: RequestProblem | undefined): string | undefined =>
  problem === undefined ? undefined : UMA_INVOICE_ERRORS[errorKey(requestError(problem, 'id'))]

test.each([
  ['a timeout of the remote VASP', remoteFault('timeout', ''), 'their-timeout'],
  ['a refusal by the remote VASP', remoteFault('refused', ''), 'their-refused'],
  ['an address that no user has', new VaspError(404, 'NOT_FOUND', ''), 'unknown'],
  ['too many requests', rateLimited(1), 'many'],
  ['an overload', busy(1), 'many'],
  ['invalid terms', badInput(''), 'uma-amount'],
  ['a failure of this VASP', new VaspError(500, 'INTERNAL', ''), undefined],
])('%s maps to its code, if it has one', (_what, error, word) => expect(requestProblem(error)).toBe(word))

test.each(['timeout', 'refused', 'unusable', 'closed'] as const)(
  'a request that failed at the remote VASP (%s) names that VASP and explains what to do',
  (fault) => {
    const problem = requestProblem(remoteFault(fault, 'bank.example says: click http://evil.example'))
    const sentence = textOf(problem) ?? ''
    expect(sentence).toMatch(/^Their provider/)
    expect(sentence.split('. ').length).toBeGreaterThan(1)
    expect(sentence).not.toMatch(/evil/)
  },
)

test('only a timeout of the remote VASP leaves it unknown whether that VASP has the request', () => {
  expect(textOf('their-timeout')).toMatch(/did not confirm the request/)
  for (const problem of ['unknown', 'many', 'their-refused', 'their-unusable', 'their-closed'] as const)
    expect(textOf(problem)).toMatch(/The payer was not asked/)
  expect(UMA_INVOICE_ERRORS['payer.invalid']).toMatch(/The payer was not asked/)
})

test('the form sends the request again with the same id after a timeout, and only then', () => {
  expect(requestError('their-timeout', 'id')).toEqual({
    field: 'payer',
    code: 'their-timeout',
    resend: { request_id: 'id' },
  })
  expect(requestError('their-refused', 'id')).toEqual({ field: 'payer', code: 'their-refused' })
})
