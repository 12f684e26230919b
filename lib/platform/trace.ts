import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { singleton } from './process-singletons'

/** The identifiers of a payment in log lines. */
interface TracedPayment {
  /** Its id in the table `payments`. */
  readonly id?: bigint
  /** Both VASPs know it. */
  readonly paymentHash: string
}

/**
 * W3C Trace Context, version 00, with ids that are not zero. Node joins repeated header lines with a comma, so a
 * repeated header does not match.
 */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/
const SAMPLED = 1

/** One request, or the work of a payment whose request has ended. The ids are created when they are first needed. */
class Trace {
  payment: string | undefined
  paymentHash: string | undefined
  readonly #isRequest: boolean
  readonly #received: string | undefined
  #requestId: string | undefined
  #traceId: string | undefined
  #flags = '00'
  #isTaken = false

  constructor(isRequest: boolean, received?: string) {
    this.#isRequest = isRequest
    this.#received = received
  }

  takeRequestId(): string | undefined {
    if (!this.#isRequest || this.#isTaken) return undefined
    this.#isTaken = true
    return this.requestId()
  }

  requestId(): string | undefined {
    return this.#isRequest ? (this.#requestId ??= randomUUID()) : undefined
  }

  fields(): Record<string, unknown> {
    const { payment, paymentHash } = this
    return { requestId: this.requestId(), traceId: this.#id(), payment, paymentHash }
  }

  traceparent(): string {
    const id = this.#id()
    return `00-${id}-${randomBytes(8).toString('hex')}-${this.#flags}`
  }

  #id(): string {
    if (this.#traceId !== undefined) return this.#traceId
    const [, id, flags = ''] = TRACEPARENT.exec(this.#received ?? '') ?? []
    // Only the bit `sampled` has a meaning in version 00.
    if (id !== undefined && (parseInt(flags, 16) & SAMPLED) === SAMPLED) this.#flags = '01'
    // The request id has 122 random bits, so no second id is generated.
    const own = this.#isRequest ? (this.#requestId ??= randomUUID()) : randomUUID()
    return (this.#traceId = id ?? own.replaceAll('-', ''))
  }
}

const traces = singleton('traces', () => new AsyncLocalStorage<Trace | undefined>())

/** Runs a listener of `node:http` in the trace of its request. A `traceparent` that is not valid is ignored. */
export function traced<Result>(
  listener: (request: IncomingMessage, response: ServerResponse) => Result,
): (request: IncomingMessage, response: ServerResponse) => Result {
  return (request, response) => {
    const { traceparent } = request.headers
    return traces.run(new Trace(true, traceparent?.toString()), listener, request, response)
  }
}

/** Runs the work of a payment whose request has ended, in a trace of its own. */
export function tracePayment<Result>(payment: TracedPayment, work: () => Result): Result {
  return traces.run(new Trace(false), () => {
    namePayment(payment)
    return work()
  })
}

/** Adds a payment to all later log lines of this request. */
export function namePayment({ id, paymentHash }: Partial<TracedPayment>): void {
  const trace = traces.getStore()
  if (trace === undefined) return
  if (id !== undefined) trace.payment = String(id)
  if (paymentHash !== undefined) trace.paymentHash = paymentHash
}

/** Starts work that serves many requests, such as a timer: its log lines belong to none of them. */
export function untraced<Result>(work: () => Result): Result {
  return traces.run(undefined, work)
}

/**
 * The id of this request, for its first API call; undefined after that. A page can make several calls, and each needs
 * its own id.
 */
export function takeRequestId(): string | undefined {
  return traces.getStore()?.takeRequestId()
}

/** The id of this request, also after `takeRequestId`; undefined outside a request. */
export function currentRequestId(): string | undefined {
  return traces.getStore()?.requestId()
}

/** The fields that each log line of this request has. */
export function traceFields(): Record<string, unknown> {
  return traces.getStore()?.fields() ?? {}
}

/** The header for a request to another server. `tracestate` and `baggage` are not passed on. */
export function traceHeaders(): Record<string, string> {
  const trace = traces.getStore()
  return trace === undefined ? {} : { traceparent: trace.traceparent() }
}
