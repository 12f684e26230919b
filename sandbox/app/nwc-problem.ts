import { NoReply, RelayDown, RelayLost, RelayRefused } from './relay-link'
import { reasonOf, type Problem, type Side } from './problem'

/** The error codes of NIP-47 and UMA Auth, explained for the page. */
const CODES: Readonly<Record<string, readonly [meaning: string, side: Side, todo: string]>> = {
  RATE_LIMITED: ['Too many calls in a short time.', 'shop', 'Wait a little, then ask again, and less often.'],
  NOT_IMPLEMENTED: [
    'This wallet does not offer the command.',
    'wallet',
    'Nothing to do here. An app hides what get_info does not list.',
  ],
  INSUFFICIENT_BALANCE: ['There is not enough money in the wallet.', 'person', 'Fund the wallet, or pay less.'],
  PAYMENT_FAILED: [
    'The payment did not go through. No money has left, and the budget has its hold back.',
    'wallet',
    'Try again, or ask for a new invoice.',
  ],
  NOT_FOUND: ['What was asked for does not exist in this wallet.', 'shop', 'Check what was sent.'],
  QUOTA_EXCEEDED: [
    'The payment is larger than what is left of the budget.',
    'person',
    'The person raises the budget on the connection’s page at the gateway, or waits for its next period.',
  ],
  RESTRICTED: [
    'This connection may not do that: the person did not allow it, or the wallet refuses it.',
    'person',
    'Connect again and ask for the permission.',
  ],
  UNAUTHORIZED: [
    'The connection is over: expired, disconnected at the gateway, or revoked at the wallet.',
    'person',
    'Refresh the access, or connect again.',
  ],
  INTERNAL: [
    'The gateway could not do it, through no known fault of the app; the message says why.',
    'gateway',
    'Read the message and try again later. Look a payment up before paying again.',
  ],
  OTHER: [
    'The gateway or the wallet refused for a reason without a code of its own; the message says which.',
    'gateway',
    'Read the message. Look a payment up before paying again.',
  ],
}

export function explainWalletError(code: string, message: string): Problem {
  // The public gateway answers OTHER for a budget that is used up; only its message says so.
  const known = code === 'OTHER' && /\bbudget\b/i.test(message) ? 'QUOTA_EXCEEDED' : code
  if (code === 'INTERNAL' && VASP_AWAY.test(message)) return { code, message, ...AWAY }
  const [meaning, side, todo] = CODES[known] ?? [
    'A code that NIP-47 does not know.',
    'gateway',
    'Read the message; an app treats it like OTHER.',
  ]
  return { code, message, meaning, side, todo }
}

/** The code alone does not say which of the two failed; the message of a VASP that is down does. */
const VASP_AWAY = /VASP|ECONN|did not answer/i
const AWAY = {
  meaning: 'The wallet operator did not answer the gateway.',
  side: 'wallet',
  todo: 'Try again when it runs. Look a payment up before paying again.',
} as const

/** Explains why there is no readable answer of the wallet. These codes are the shop's own. */
export function explainTransport(error: unknown, relayUrl: string): Problem {
  if (error instanceof RelayDown)
    return {
      code: 'RELAY_DOWN',
      message: `The relay ${relayUrl} cannot be reached.`,
      meaning: 'Nothing was sent, so nothing has happened. The shop keeps trying to connect.',
      side: 'relay',
      todo: 'Start the relay, then click again.',
    }
  if (error instanceof RelayRefused)
    return {
      code: 'RELAY_REFUSED',
      message: error.message,
      meaning: 'The relay did not pass the request on, so nothing has happened.',
      side: 'relay',
      todo: 'Try again; the message says what the relay minds.',
    }
  if (error instanceof RelayLost)
    return {
      code: 'RELAY_LOST',
      message: `The connection to ${relayUrl} broke while the shop was waiting.`,
      meaning: 'The request was sent and the answer is lost: it may have been carried out.',
      side: 'relay',
      todo: 'Look a payment up before paying again.',
    }
  if (error instanceof NoReply)
    return {
      code: 'NO_ANSWER',
      message: `The gateway gave ${error.message}.`,
      meaning: 'The relay took the request. Whether it was carried out is not known.',
      side: 'gateway',
      todo: 'See that the gateway runs. Look a payment up before paying again.',
    }
  return {
    code: 'UNREADABLE',
    message: `The answer cannot be read: ${reasonOf(error)}.`,
    meaning: 'Something came back that is not sealed for this connection, or is no reply.',
    side: 'gateway',
    todo: 'Connect again. Look a payment up before paying again.',
  }
}

export const noWallet = (relayUrl: string): Problem => ({
  code: 'NO_WALLET',
  message: `Nobody has announced this wallet on ${relayUrl} (no info event, kind 13194).`,
  meaning: 'The gateway is not running, or uses another relay. Nothing was sent.',
  side: 'gateway',
  todo: 'Start the gateway, then click again.',
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
  'RELAY_DOWN',
  'RELAY_REFUSED',
  'NO_WALLET',
  'NOT_CONNECTED',
])

/** Whether a payment with this problem may have gone through. One that the user's own limit refused has not. */
export function mayHaveBeenPaid(problem: Problem): boolean {
  return !CERTAINLY_NOT_DONE.has(problem.code) && problem.side !== 'person'
}
