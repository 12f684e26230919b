import type { ErrorCode } from 'uma-auth-vasp'
import type { TestRecipientName } from './recipients'

export interface ErrorRecipe {
  readonly code: ErrorCode
  /** HTTP status of the API. */
  readonly status: string
  /** The component that answers with the code, and when. */
  readonly source: string
  /** A message that the app receives with the code. */
  readonly message: string
  /** Ways to get the error in a browser, the shortest one first. */
  readonly steps: readonly RecipeStep[]
}

/** `pay` a test recipient, `do` something else, or `inject` the error on the connection's page. */
export type RecipeStep =
  | { readonly kind: 'pay'; readonly recipient: TestRecipientName; readonly text: string }
  | { readonly kind: 'do'; readonly text: string }
  | { readonly kind: 'inject' }

const pay = (recipient: TestRecipientName, text: string): RecipeStep => ({ kind: 'pay', recipient, text })
const doThis = (text: string): RecipeStep => ({ kind: 'do', text })
const INJECT: RecipeStep = { kind: 'inject' }

/** Every error code of the API, with the ways to get it without programming. The page and `docs/errors.md` show this table. */
export const ERROR_RECIPES: readonly ErrorRecipe[] = [
  {
    code: 'PAYMENT_FAILED',
    status: '400, or 503 with Retry-After when nothing was sent',
    source:
      'The payment failed: there is no route, or the recipient’s node refused it. Nothing was taken from the wallet.',
    message: 'The Lightning network refused this payment. Nothing was taken from your wallet.',
    steps: [
      pay('declined', 'The lookup and the quote succeed. The payment fails.'),
      pay('flaky', 'The first payment fails, and the retry succeeds.'),
      INJECT,
    ],
  },
  {
    code: 'NOT_FOUND',
    status: '404',
    source: 'This VASP or the recipient’s VASP does not know the user, invoice, quote or wallet.',
    message: 'There is no user with the address $nobody@….',
    steps: [pay('nobody', 'The lookup fails.'), INJECT],
  },
  {
    code: 'RESTRICTED',
    status: '403',
    source:
      'The gateway or this VASP: the connection does not have permission for the command, or a rule forbids the payment.',
    message: 'The compliance rules of this VASP do not allow payments to this recipient. Nothing was paid.',
    steps: [
      pay('blocked', 'The lookup fails.'),
      doThis('Clear a permission when you approve a connection, then use its command.'),
      INJECT,
    ],
  },
  {
    code: 'OTHER',
    status: '400',
    source: 'A value is invalid, an invoice or quote has expired, or the recipient’s VASP is at fault.',
    message: 'The recipient’s VASP did not answer. Nothing was paid. Try again later.',
    steps: [
      pay('unreachable', 'The lookup fails after 2 seconds.'),
      pay('blink', 'Get a quote, wait 5 seconds, then pay it.'),
      INJECT,
    ],
  },
  {
    code: 'INSUFFICIENT_BALANCE',
    status: '400',
    source: 'The wallet holds less than the payment costs.',
    message: 'The wallet does not hold enough money for this.',
    steps: [doThis('Connect an app as Penny, whose wallet is empty, and pay any recipient.'), INJECT],
  },
  {
    code: 'QUOTA_EXCEEDED',
    status: '400',
    source: 'The gateway: the payment exceeds the remaining budget of the connection.',
    message: 'The budget of this connection does not allow this payment.',
    steps: [
      doThis('Pay more than the budget of the connection, for example 60.00 USD with a budget of 50.00 USD.'),
      INJECT,
    ],
  },
  {
    code: 'UNAUTHORIZED',
    status: '401',
    source: 'This VASP or the gateway: the token or the connection is revoked or expired.',
    message: 'Unauthorized',
    steps: [doThis('Revoke the connection under Connections, then send any call with it.'), INJECT],
  },
  {
    code: 'RATE_LIMITED',
    status: '429 with Retry-After',
    source: 'This VASP: too many calls from one connection, or too many pending payments for one user.',
    message: 'Too many requests. Try again later.',
    steps: [INJECT],
  },
  {
    code: 'NOT_IMPLEMENTED',
    status: '501',
    source:
      'The gateway: it does not support the command. This VASP: it has no UMA keys, so it cannot pay users of other VASPs.',
    message: 'This VASP does not connect to other VASPs: its operator has not set the UMA keys.',
    steps: [INJECT],
  },
  {
    code: 'INTERNAL',
    status: '500, 503 with Retry-After when busy, 504 while a payment is pending',
    source: 'This VASP or the gateway failed, or the result of a payment is not known yet.',
    message: 'The payment is pending: its result is not known yet. Look it up before you try again.',
    steps: [
      INJECT,
      pay(
        'held',
        'The payment is pending until the quote expires. The API answers 504 after PAYMENT_WAIT_SECONDS (240).',
      ),
    ],
  },
]
