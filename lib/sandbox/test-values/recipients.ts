import type { ErrorCode } from 'uma-auth-vasp'
import type { CurrencyCode } from '../../money/currencies'

export type TestRecipientName =
  'declined' | 'blocked' | 'unreachable' | 'slow' | 'flaky' | 'held' | 'nobody' | 'satonly' | 'threecoins' | 'blink'

export interface TestRecipient {
  readonly name: TestRecipientName
  /** What a payment to this recipient does. */
  readonly effect: string
  /** The error that an app receives; undefined when the payment succeeds. */
  readonly code?: ErrorCode
  /** The currencies that a quote can have; absent when no quote succeeds. The first one is the default. */
  readonly currencies?: readonly CurrencyCode[]
}

export const UNREACHABLE_SECONDS = 2
export const SLOW_SECONDS = 8
export const BLINK_SECONDS = 5

const USUAL = ['USD', 'SAT'] as const

/** The recipients of the sandbox tools, in the order in which pages list them. */
export const TEST_RECIPIENTS: readonly TestRecipient[] = [
  {
    name: 'declined',
    effect: 'Quotes succeed. Every payment fails, and the money on hold is returned.',
    code: 'PAYMENT_FAILED',
    currencies: USUAL,
  },
  { name: 'blocked', effect: 'The compliance check of this VASP refuses the recipient.', code: 'RESTRICTED' },
  {
    name: 'unreachable',
    effect: `No answer: the lookup fails after ${UNREACHABLE_SECONDS} seconds.`,
    code: 'OTHER',
  },
  {
    name: 'slow',
    effect: `The payment is pending for ${SLOW_SECONDS} seconds, then it succeeds.`,
    currencies: USUAL,
  },
  {
    name: 'flaky',
    effect: 'Your payments alternately fail and succeed. The first one fails.',
    code: 'PAYMENT_FAILED',
    currencies: USUAL,
  },
  {
    name: 'held',
    effect: 'The payment stays pending until its quote expires. Then it fails, and the money on hold is returned.',
    code: 'PAYMENT_FAILED',
    currencies: USUAL,
  },
  { name: 'nobody', effect: 'There is no such user.', code: 'NOT_FOUND' },
  { name: 'satonly', effect: 'Accepts one currency: SAT.', currencies: ['SAT'] },
  { name: 'threecoins', effect: 'Accepts three currencies: EUR, USD and SAT.', currencies: ['EUR', 'USD', 'SAT'] },
  {
    name: 'blink',
    effect: `The quote expires after ${BLINK_SECONDS} seconds. A later payment is refused.`,
    code: 'OTHER',
    currencies: USUAL,
  },
]

/** The test recipient with this username; undefined for any other user. */
export function testRecipientOf(username: string): TestRecipient | undefined {
  return TEST_RECIPIENTS.find(({ name }) => name === username)
}
