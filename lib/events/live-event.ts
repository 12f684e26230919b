import type { EventRow } from './types'

/** Fields of an event for which JSON has no type. */
type Converted = 'id' | 'recordedAt'

/** An event as the stream sends it: ids as decimal text, times in ISO 8601. */
export type LiveEvent = Omit<EventRow, Converted> & {
  readonly id: string
  readonly recordedAt: string
}

/** The call that asks for the state of an invoice. It has the hash of a payment, but is no part of it: an app may poll. */
export const INVOICE_LOOKUP = 'GET /invoices/{payment_hash}'

export function toLiveEvent(event: EventRow): LiveEvent {
  return {
    ...event,
    id: event.id.toString(),
    recordedAt: event.recordedAt.toISOString(),
  }
}
