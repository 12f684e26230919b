import type { CallEvent, UmaAuthVasp } from 'uma-auth-vasp'
import type { Body, NewEvent } from '../events/types'
import { summaryOfUnknownPath } from '../events/unknown-path'
import type { Network } from '../lightning/node'
import { parseJson } from '../platform/parse-json'
import { paymentHashOf } from './call-payment'
import type { InjectedResponse } from './faults'

const MAX_PATH = 300
const MAX_QUERY = 2_000
const MAX_PARAMETERS = 20
const MAX_VALUE = 200

export interface CallEventParts {
  readonly parameters: ReadonlySet<string>
  readonly network: Network
}

/** The names of all query parameters of the API. */
export function queryParameters({ api }: Pick<UmaAuthVasp, 'api'>): ReadonlySet<string> {
  return new Set(api.endpoints.flatMap(({ queryNames }) => queryNames))
}

/** The event of an API call or a token exchange. Its owner comes from a token with a verified signature. */
export function callToEvent(event: CallEvent, parts: CallEventParts, injected: InjectedResponse | undefined): NewEvent {
  const { requestId, route, method, path, query, durationMs, claims, failedCheck, bearerFault, connectionId } = event
  const { status, body } = sentFor(event, injected)
  const storedQuery = knownQuery(query, parts.parameters)
  return {
    kind: route === 'POST /token' ? 'token_exchange' : 'api_call',
    name: route === 'unknown' ? 'unknown path' : route,
    userId: claims?.userId,
    connectionId: connectionId ?? (claims?.use === 'connection' ? claims.id : undefined),
    requestId,
    paymentHash: () => paymentHashOf(event, parts.network),
    status,
    durationMs,
    failedCheck,
    summary: summaryOf(event, status, body),
    injected: injected?.kind,
    detail: {
      request: event.requestText,
      response: body,
      facts: {
        method: method.slice(0, 20),
        path: path.slice(0, MAX_PATH),
        query: storedQuery,
        claims,
        bearerFault,
      },
    },
  }
}

interface Sent {
  readonly status: number | undefined
  readonly body: Body | undefined
}

/** What the client received. A fault may have replaced it, or closed the connection. */
function sentFor({ status, responseText: text, responseBody: value }: CallEvent, injected?: InjectedResponse): Sent {
  if (injected === undefined) return { status, body: { text, value } }
  return { status: injected.sent?.status, body: injected.sent?.text }
}

/** Keeps the values of the API's own parameters. Of others it keeps only the names, because a value may be a secret. */
function knownQuery(query: string, parameters: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(query.slice(0, MAX_QUERY))]
      .slice(0, MAX_PARAMETERS)
      .map(([name, value]) => [name.slice(0, 40), parameters.has(name) ? value.slice(0, MAX_VALUE) : '[not stored]']),
  )
}

function summaryOf(
  { route, method, path }: CallEvent,
  status: number | undefined,
  body: Body | undefined,
): string | undefined {
  if (status === undefined || body === undefined) return 'The connection was closed without a response.'
  if (status < 400) return undefined
  // A fault may send a body that is not the API's.
  const refused = (typeof body === 'string' ? parseJson(body) : body.value) ?? {}
  const { code, message, error } = refused as { code?: string; message?: string; error?: string }
  const refusal = [code, message ?? error].filter((part) => part !== undefined).join(': ')
  return route === 'unknown' ? summaryOfUnknownPath(method.slice(0, 20), path, refusal) : refusal
}
