/** Kinds of events that record a request, received or sent. The other kinds record changes of state. */
const REQUEST_KINDS = ['api_call', 'token_exchange', 'login', 'discovery', 'uma_message', 'lightning_message'] as const

export const EVENT_KINDS = [...REQUEST_KINDS, 'payment', 'invoice', 'payment_request', 'connection', 'wallet'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Whether an event of this kind records a request. */
export function isRequest(kind: EventKind): boolean {
  return REQUESTS.has(kind)
}

const REQUESTS: ReadonlySet<EventKind> = new Set(REQUEST_KINDS)

/** An event before it is stored. */
export interface NewEvent {
  readonly kind: EventKind
  /** A route template such as `GET /balance`, or a change of state such as `payment succeeded`. From a closed set. */
  readonly name: string
  /** Set only when a verified token, a session or a payment of this VASP identifies the user. */
  readonly userId?: string | undefined
  /** Caused by another party: not by the user's own token, session or payment. Only a few of these are kept. */
  readonly fromOutside?: boolean | undefined
  readonly connectionId?: string | undefined
  /** By default the id of the request in whose work the event is recorded, so that a call and what it caused have the same id. */
  readonly requestId?: string | undefined
  /** The hash of the payment, invoice or quote that the event is about. A function is called when the event is written. */
  readonly paymentHash?: string | (() => string | undefined) | undefined
  /** HTTP status. */
  readonly status?: number | undefined
  readonly durationMs?: number | undefined
  readonly failedCheck?: string | undefined
  /** One line for a list, without secrets. A function is called when the event is written. */
  readonly summary?: string | (() => string) | undefined
  /** Masked when it is written (`mask.ts`). */
  readonly detail?: EventDetail | undefined
  /** The name of the fault that the sandbox injected. */
  readonly injected?: string | undefined
}

/** What the payer's VASP says about payer and payee for the travel rule, decrypted. */
export interface TravelRule {
  /** `protocol@version`; empty for free text. */
  readonly format: string
  readonly text: string
}

/** A body as it was sent, or an answer of this server with the value that its text was written from, which then is not parsed. */
export type Body = string | { readonly text: string; readonly value: unknown }

/** Bodies are parsed, masked and truncated before they are stored. */
export interface EventDetail {
  readonly request?: string | undefined
  readonly response?: Body | undefined
  /** Facts for the detail page: method, path, claims, origins. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined
  /** Personal data for the owner's eyes: truncated, stored here only, and dropped from an event without an owner. */
  readonly travelRule?: TravelRule | undefined
}

/** A stored event as lists and streams show it. */
export interface EventRow {
  readonly id: bigint
  readonly recordedAt: Date
  readonly kind: EventKind
  readonly name: string
  readonly userId: string | null
  readonly connectionId: string | null
  readonly requestId: string | null
  readonly paymentHash: string | null
  readonly status: number | null
  readonly durationMs: number | null
  readonly failedCheck: string | null
  readonly summary: string
  readonly injected: string | null
}

/** One event with all of its stored fields. */
export interface FullEvent extends EventRow {
  readonly detail: StoredDetail
}

/** The stored bodies and facts: undefined where there were none. */
export interface StoredDetail {
  readonly request?: string
  readonly response?: string
  readonly facts?: Readonly<Record<string, unknown>>
  readonly travelRule?: TravelRule
}
