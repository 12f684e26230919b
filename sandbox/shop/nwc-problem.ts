import { NoReply, RelayDown, RelayLost, RelayRefused } from '../nostr/relay-link'
import { reasonOf, type Problem, type Side } from './problem'

/** The error codes of NIP-47 and UMA Auth, explained for the page. */
const CODES: Readonly<Record<string, readonly [meaning: string, side: Side, todo: string]>> = {
  RATE_LIMITED: ['Too many requests.', 'shop', 'Wait a moment, then try again.'],
  NOT_IMPLEMENTED: [
    'This wallet does not support the command.',
    'wallet',
    'Nothing to do. An app hides commands that get_info does not list.',
  ],
  INSUFFICIENT_BALANCE: ['The wallet does not hold enough money.', 'person', 'Add money to the wallet, or pay less.'],
  PAYMENT_FAILED: [
    'The payment failed. Nothing was paid, and the budget is unchanged.',
    'wallet',
    'Read the message. It is safe to try again, because nothing was paid.',
  ],
  NOT_FOUND: ['The wallet does not have what was requested.', 'shop', 'Check the request.'],
  QUOTA_EXCEEDED: [
    'The payment is larger than the remaining budget.',
    'person',
    'Raise the budget on the connection’s page at the gateway, pay less, or wait for the next period if the payment fits into it.',
  ],
  RESTRICTED: [
    'Not allowed for this connection: the user did not allow it, or the wallet refuses it.',
    'person',
    'Connect again and ask for the permission.',
  ],
  UNAUTHORIZED: [
    'The connection has ended: it expired, was disconnected at the gateway, or was revoked at the wallet.',
    'person',
    'Renew access, or connect again, on the page of the wallet.',
  ],
  UNSUPPORTED_ENCRYPTION: [
    'The gateway does not support the encryption of the request. Nothing was done.',
    'shop',
    'Use an encryption that the info event (kind 13194) names.',
  ],
  INTERNAL: [
    'The gateway failed. The app was not at fault. The message contains the cause.',
    'gateway',
    'Try again later. Look up a payment before you pay again.',
  ],
  OTHER: [
    'The gateway or the wallet refused. The message contains the reason.',
    'gateway',
    'Read the message. Look up a payment before you pay again.',
  ],
}

/** Commands that name a recipient, who may be the cause of a refusal. */
const PAYS_AN_ADDRESS = new Set(['lookup_user', 'fetch_quote', 'execute_quote', 'pay_to_address'])
const INJECTED = /^Injected by the sandbox\b/

/** The command that was refused. */
export interface RefusedCall {
  readonly method: string
  /** The commands that the user allowed; undefined when the shop does not know them, as for a pasted connection. */
  readonly allowed?: readonly string[] | undefined
}

/** The code and what the user allowed decide who is at fault. The message is free text, often of another company. */
export function explainWalletError(code: string, message: string, call?: RefusedCall): Problem {
  const problem = explained(code, message)
  if (INJECTED.test(message)) return { ...problem, side: 'injected' }
  if (call === undefined) return problem
  const hasRecipient = PAYS_AN_ADDRESS.has(call.method)
  if (code === 'RESTRICTED') return { ...problem, ...restricted(call, hasRecipient) }
  return code === 'OTHER' && problem.side === 'gateway' && hasRecipient ? { ...problem, ...RECIPIENT_FAILED } : problem
}

const RECIPIENT_FAILED = {
  meaning: 'The recipient cannot be paid now. The message contains the reason.',
  side: 'recipient',
} as const

/** RESTRICTED has two causes: the user did not allow the command, or the wallet forbids what the command asks for. */
function restricted({ method, allowed }: RefusedCall, hasRecipient: boolean): Partial<Problem> {
  if (allowed?.includes(method) === false) return {}
  if (allowed === undefined)
    return hasRecipient
      ? {
          meaning: 'Not allowed: the user did not allow the command, or the wallet refuses this recipient.',
          todo: 'Read the message. Pay another recipient, or connect again and ask for the permission.',
        }
      : {}
  return hasRecipient
    ? {
        meaning: 'A payment to this recipient is not allowed. Nothing was paid.',
        side: 'recipient',
        todo: 'Pay another recipient. A new connection does not change this.',
      }
    : {
        meaning: 'The wallet refuses this, although the user allowed the command.',
        side: 'wallet',
        todo: 'Read the message. A new connection does not change this.',
      }
}

/**
 * The public gateway answers OTHER when the budget is used up, and only its sentence says so. It spells the second word
 * "avaiable". Another message about a budget may be that of a recipient, after which a payment is not known to have failed.
 */
const BUDGET_USED_UP = /^The avail?able budget left this cycle\b/

function explained(code: string, message: string): Problem {
  const known = code === 'OTHER' && BUDGET_USED_UP.test(message) ? 'QUOTA_EXCEEDED' : code
  if (code === 'INTERNAL' && VASP_AWAY.test(message)) return { code, message, ...AWAY }
  if (code === 'INTERNAL' && NOT_KNOWN_YET.test(message)) return { code, message, ...PENDING }
  const [meaning, side, todo] = (Object.hasOwn(CODES, known) ? CODES[known] : undefined) ?? [
    'This code is not part of NIP-47.',
    'gateway',
    'Read the message. An app treats this code like OTHER.',
  ]
  return { code, message, meaning, side, todo }
}

/** The code does not say whether the gateway or the VASP failed, but the message does when the VASP is down. */
const VASP_AWAY = /VASP|ECONN|did not answer/i
const AWAY = {
  meaning: 'The wallet operator did not answer the gateway.',
  side: 'wallet',
  todo: 'Try again when it is running. Look up a payment before you pay again.',
} as const

/** A payment that the VASP has answered while it was in progress: nobody has failed. */
const NOT_KNOWN_YET = /not known yet/i
const PENDING = {
  meaning: 'The payment is still in progress. It may succeed or fail.',
  side: 'wallet',
  todo: 'Look the payment up before you pay again.',
} as const

/** Explains why there is no readable answer from the wallet. These codes are the shop's own. */
export function explainTransport(error: unknown, relayUrl: string): Problem {
  if (error instanceof RelayDown)
    return {
      code: 'RELAY_DOWN',
      message: `The relay ${relayUrl} cannot be reached.`,
      meaning: 'Nothing was sent. The shop keeps trying to connect.',
      side: 'relay',
      todo: 'Start the relay, then try again.',
    }
  if (error instanceof RelayRefused)
    return {
      code: 'RELAY_REFUSED',
      message: error.message,
      meaning: 'The relay refused the request. Nothing was sent to the gateway.',
      side: 'relay',
      todo: 'Read the relay’s message, then try again.',
    }
  if (error instanceof RelayLost)
    return {
      code: 'RELAY_LOST',
      message: `The connection to ${relayUrl} broke while the shop was waiting.`,
      meaning: 'The request was sent, but the answer was lost. The request may have been carried out.',
      side: 'relay',
      todo: 'Look up a payment before you pay again.',
    }
  if (error instanceof NoReply)
    return {
      code: 'NO_ANSWER',
      message: `The gateway sent ${error.message}.`,
      meaning: 'The relay accepted the request. It is not known whether it was carried out.',
      side: 'gateway',
      todo: 'Check that the gateway is running. Look up a payment before you pay again.',
    }
  return {
    code: 'UNREADABLE',
    message: `The answer cannot be read: ${reasonOf(error)}.`,
    meaning: 'The answer is not encrypted for this connection, or is not a reply.',
    side: 'gateway',
    todo: 'Connect again. Look up a payment before you pay again.',
  }
}

export const noWallet = (relayUrl: string): Problem => ({
  code: 'NO_WALLET',
  message: `No gateway has announced this wallet on ${relayUrl} (no info event, kind 13194).`,
  meaning: 'The gateway is not running, or uses another relay. Nothing was sent.',
  side: 'gateway',
  todo: 'Start the gateway, then try again.',
})

const CERTAINLY_NOT_DONE = new Set([
  'RATE_LIMITED',
  'NOT_IMPLEMENTED',
  'INSUFFICIENT_BALANCE',
  'PAYMENT_FAILED',
  'NOT_FOUND',
  'QUOTA_EXCEEDED',
  'RESTRICTED',
  'UNAUTHORIZED',
  'UNSUPPORTED_ENCRYPTION',
  'RELAY_DOWN',
  'RELAY_REFUSED',
  'NO_WALLET',
  'NOT_CONNECTED',
])

/** Whether a payment with this problem may have gone through. A payment refused by the user's own limit has not. */
export function mayHaveBeenPaid(problem: Problem): boolean {
  return !CERTAINLY_NOT_DONE.has(problem.code) && problem.side !== 'person'
}
