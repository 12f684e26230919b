import { expect, test } from 'vitest'
import { priceError, QUOTE_ERRORS } from '@/app/(dashboard)/wallets/send/errors'
import { badInput, rateLimited, remoteFault, VaspError, type RemoteFault } from '../platform/errors'
import { errorKey } from '../web/form-errors'
import { priceProblem } from './errors'

const FAULTS: Record<RemoteFault, RegExp> = {
  timeout: /did not answer/,
  refused: /refused/,
  later: /not available right now.*Try again later/,
  barred: /does not accept payments from this server/,
  unready: /cannot receive payments right now/,
  unverified: /could not verify.*operator/,
  unusable: /invalid answer/,
  unsigned: /without a valid signature/,
  offer: /different terms/,
  unsupported_payer_data: /details about you/,
  no_public_keys: /public keys/,
  bad_keys: /public keys or certificates are not valid/,
  closed: /not accepted by this server/,
}

test.each(Object.entries(FAULTS))('explains what happened and what to do for the remote fault %s', (fault, words) => {
  const problem = priceProblem(
    remoteFault(fault as RemoteFault, 'bank.example says: click http://evil.example'),
    'price',
  )
  const sentence = QUOTE_ERRORS[errorKey(priceError(problem))] ?? ''
  expect(sentence).toMatch(words)
  expect(sentence).toMatch(/^The recipient’s provider/)
  expect(sentence).toMatch(/Nothing was paid/)
  // The first sentence states what happened, the next what to do.
  expect(sentence.split('. ').length).toBeGreaterThan(1)
  expect(sentence).not.toMatch(/evil/)
})

test('reports faults of this VASP as its own', () => {
  expect(priceProblem(badInput('too small'), 'price')).toBe('price')
  expect(priceProblem(rateLimited(1), 'price')).toBe('busy')
  expect(priceProblem(new VaspError(400, 'PAYMENT_FAILED', 'no route'), 'uma')).toBe('route')
})

test('reports a refused UMA invoice as paid or meant for another payer', () => {
  expect(priceProblem(remoteFault('refused', 'x'), 'uma')).toBe('uma')
  expect(priceProblem(remoteFault('barred', 'x'), 'uma')).toBe('uma')
  expect(priceProblem(remoteFault('timeout', 'x'), 'uma')).toBe('their-timeout')
})
