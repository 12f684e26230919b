import { z } from 'zod'
import type { CallEvent, UmaAuthVasp } from 'uma-auth-vasp'
import type { NewEvent } from '../events/types'
import { hashOfPreimage } from '../lightning/preimage'
import { peekPaymentHash } from '../payments/invoice-status'
import { parseJson } from '../platform/parse-json'
import type { InjectedResponse } from './faults'

const MAX_PATH = 300
const MAX_QUERY = 2_000
const MAX_PARAMETERS = 20
const MAX_VALUE = 200

export interface CallEventParts {
  /** The names of all query parameters of the API. */
  readonly parameters: ReadonlySet<string>
  /** Of BOLT-11 invoices on the node's network. */
  readonly invoicePrefix: string
}

/** The names of all query parameters of the API. */
export function queryParameters({ api }: Pick<UmaAuthVasp, 'api'>): ReadonlySet<string> {
  return new Set(
    api.endpoints.flatMap(({ query }) => (query instanceof z.ZodObject ? Object.keys(query.shape as object) : [])),
  )
}

/** The event of an API call or a token exchange. Its owner comes from a token with a verified signature, or from a replay. */
export function callToEvent(event: CallEvent, parts: CallEventParts, injected: InjectedResponse | undefined): NewEvent {
  const { requestId, route, method, path, query, durationMs, claims, failedCheck, bearerFault, connectionId } = event
  const { status, text } =
    injected === undefined ? { status: event.status, text: event.responseText } : (injected.sent ?? NO_RESPONSE)
  const storedQuery = knownQuery(query, parts.parameters)
  return {
    kind: route === 'POST /token' ? 'token_exchange' : 'api_call',
    name: route === 'unknown' ? 'unknown path' : route,
    userId: claims?.userId,
    connectionId: connectionId ?? (claims?.use === 'connection' ? claims.id : undefined),
    requestId,
    paymentHash: paymentHashOf(event, parts),
    replayOf: event.replayOf === undefined ? undefined : BigInt(event.replayOf),
    status,
    durationMs,
    failedCheck,
    summary: summaryOf(status, text),
    injected: injected?.kind,
    detail: {
      request: event.requestText,
      response: text,
      facts: {
        method: method.slice(0, 20),
        path: path.slice(0, MAX_PATH),
        query: storedQuery,
        // A replay needs the address as it was sent.
        isWholeAddress: path.length <= MAX_PATH && isWhole(query, storedQuery),
        claims,
        bearerFault,
      },
    },
  }
}

/** Keeps the values of the API's own parameters. Of other parameters it keeps the name only: a client can put a secret there. */
function knownQuery(query: string, parameters: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(query.slice(0, MAX_QUERY))]
      .slice(0, MAX_PARAMETERS)
      .map(([name, value]) => [name.slice(0, 40), parameters.has(name) ? value.slice(0, MAX_VALUE) : '[not stored]']),
  )
}

function isWhole(query: string, stored: Readonly<Record<string, string>>): boolean {
  return query === '' || new URLSearchParams(query).toString() === new URLSearchParams(stored).toString()
}

/** Routes whose request or response names a payment, an invoice or a quote. */
const NAMES_PAYMENT = /^(?:POST \/(?:payments\/|quote\/|invoice$)|GET \/(?:invoices\/|quote\/))/
const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/i)
  .transform((hash) => hash.toLowerCase())
const Named = z.object({
  payment_hash: Hash.optional().catch(undefined),
  preimage: Hash.optional().catch(undefined),
  invoice: z.string().optional().catch(undefined),
})

/**
 * The payment hash that a call is about: in its path, in its response, as the hash of the preimage in it, or in the invoice that
 * it was to pay. Undefined where none of these names one, as in a keysend that failed.
 */
function paymentHashOf({ route, path, requestText, responseText, claims }: CallEvent, parts: CallEventParts) {
  if (claims === undefined || !NAMES_PAYMENT.test(route)) return undefined
  const inPath = Hash.safeParse(path.slice(path.lastIndexOf('/') + 1)).data
  if (inPath !== undefined) return inPath
  const answered = Named.safeParse(parseJson(responseText)).data
  if (answered?.payment_hash !== undefined) return answered.payment_hash
  if (typeof answered?.preimage === 'string') return hashOfPreimage(answered.preimage)
  const { invoice = '' } = Named.safeParse(parseJson(requestText ?? '')).data ?? {}
  return peekPaymentHash(invoice, parts.invoicePrefix)?.paymentHash
}

/** A connection that a fault has closed. */
const NO_RESPONSE = { status: undefined, text: undefined }

function summaryOf(status: number | undefined, text: string | undefined): string | undefined {
  if (status === undefined || text === undefined) return 'The connection was closed without a response.'
  if (status < 400) return undefined
  // A fault may send a body that is not the API's.
  const { code, message, error } = (parseJson(text) ?? {}) as { code?: string; message?: string; error?: string }
  return [code, message ?? error].filter((part) => part !== undefined).join(': ')
}
