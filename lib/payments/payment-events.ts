import type { EventRecorder } from '../events/recorder'
import type { NewEvent } from '../events/types'

/** For changes of state, recorded after they are committed. Recording never waits and never throws. */
export interface EventPorts {
  readonly events: Pick<EventRecorder, 'record'>
}

interface PaymentFacts {
  readonly username: string
  readonly connectionId: string | null
  readonly paymentHash: string
  readonly amountMsats: bigint
}

type PaymentEvent = 'payment held' | 'payment succeeded' | 'payment failed'

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
    summary: `${amountMsats} msats${reason == null ? '' : `: ${reason}`}`,
    detail: { facts: { paymentHash, amountMsats, method } },
  }
}

/** Money that arrived for the payee: of an invoice, or a keysend. */
export function receivedEvent(
  payee: Pick<PaymentFacts, 'username' | 'paymentHash' | 'amountMsats'>,
  isKeysend: boolean,
): NewEvent {
  const { username, paymentHash, amountMsats } = payee
  return {
    kind: isKeysend ? 'payment' : 'invoice',
    name: isKeysend ? 'payment received' : 'invoice paid',
    userId: username,
    paymentHash,
    summary: `${amountMsats} msats`,
    detail: { facts: { paymentHash, amountMsats } },
  }
}
