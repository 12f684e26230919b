import type { EventRecorder } from '../events/recorder'
import type { NewEvent } from '../events/types'
import type { SendOutcome, TrackOutcome } from '../lightning/node'
import type { PeerMessage } from '../lightning/opened-node'
import { inSats } from '../money/format'

/** Records changes of state after they are committed. Recording never waits and never throws. */
export interface EventPorts {
  readonly events: Pick<EventRecorder, 'record'>
}

interface PaymentFacts {
  readonly username: string
  readonly connectionId: string | null
  readonly paymentHash: string
  readonly amountMsats: bigint
}

type PaymentEvent = 'payment held' | 'payment succeeded' | 'payment failed' | 'payment written off'

/** A change of state of the payer's payment. */
export function paymentEvent(
  name: PaymentEvent,
  payment: PaymentFacts & { readonly method?: 'internal' },
  reason?: string | null,
): NewEvent {
  const { username, connectionId, paymentHash, amountMsats, method = 'lightning' } = payment
  return {
    kind: 'payment',
    name,
    userId: username,
    connectionId: connectionId ?? undefined,
    paymentHash,
    summary: () => `${inSats(amountMsats)}${reason == null ? '' : `: ${reason}`}`,
    detail: { facts: { paymentHash, amountMsats, method } },
  }
}

/** Money that arrived for the payee, for an invoice or as a keysend. */
export function receivedEvent(
  payee: Pick<PaymentFacts, 'username' | 'paymentHash' | 'amountMsats'>,
  isKeysend: boolean,
): NewEvent {
  const { username, paymentHash, amountMsats } = payee
  return {
    kind: isKeysend ? 'payment' : 'invoice',
    fromOutside: true,
    name: isKeysend ? 'payment received' : 'invoice paid',
    userId: username,
    paymentHash,
    summary: () => inSats(amountMsats),
    detail: { facts: { paymentHash, amountMsats } },
  }
}

/** A call from another node, and the money that it credited. Both events belong to the user whose wallet was credited. */
export function peerMessageEvents({ action, status, durationMs, received }: PeerMessage): NewEvent[] {
  const message: NewEvent = {
    kind: 'lightning_message',
    fromOutside: true,
    name: action === undefined ? 'unknown Lightning path' : `peer message received: ${action}`,
    userId: received?.username,
    paymentHash: received?.paymentHash,
    status,
    durationMs,
  }
  return received === undefined ? [message] : [message, receivedEvent(received, received.isKeysend)]
}

/** Records the node's answer to a payment, or to the request for its result. */
export async function recordAnswer<Outcome extends SendOutcome | TrackOutcome>(
  { events }: EventPorts,
  name: 'payment given to the node' | 'result requested from the node',
  { username, connectionId, paymentHash }: PaymentFacts,
  answered: Promise<Outcome>,
): Promise<Outcome> {
  const startedAtMs = performance.now()
  const outcome = await answered
  events.record({
    kind: 'lightning_message',
    name,
    userId: username,
    connectionId: connectionId ?? undefined,
    paymentHash,
    durationMs: performance.now() - startedAtMs,
    failedCheck: outcome.kind === 'failed' ? (outcome.failure ?? undefined) : undefined,
    summary: SUMMARIES[outcome.kind],
  })
  return outcome
}

const SUMMARIES: Readonly<Record<TrackOutcome['kind'], string>> = {
  succeeded: 'paid',
  failed: 'not paid',
  unknown: 'the result is not known yet',
  'not-found': 'the node does not know the payment',
}
