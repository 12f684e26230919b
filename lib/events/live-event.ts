import type { EventRow } from './types'

/** Fields of an event for which JSON has no type. */
type Converted = 'id' | 'recordedAt'

/** An event as the stream sends it: ids as decimal text, times in ISO 8601. */
export type LiveEvent = Omit<EventRow, Converted> & {
  readonly id: string
  readonly recordedAt: string
}

/** The call that asks for the state of an invoice. */
export const INVOICE_LOOKUP = 'GET /invoices/{payment_hash}'

/** The hash of the payment that an event is a part of. A lookup of an invoice has the hash, but is no part: an app may poll. */
export function paymentOf({ name, paymentHash }: Pick<EventRow, 'name' | 'paymentHash'>): string | null {
  return name === INVOICE_LOOKUP ? null : paymentHash
}

/** Status 400 or above, a call whose connection was closed without a response, or a failed check. */
export function isFailed({ kind, status, failedCheck }: Pick<EventRow, 'kind' | 'status' | 'failedCheck'>): boolean {
  return failedCheck !== null || (status === null ? kind === 'api_call' : status >= 400)
}

export function toLiveEvent(event: EventRow): LiveEvent {
  return {
    ...event,
    id: event.id.toString(),
    recordedAt: event.recordedAt.toISOString(),
  }
}
