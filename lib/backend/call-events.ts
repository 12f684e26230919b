import type { CallEvent, UmaAuthVasp } from 'uma-auth-vasp'
import { z } from 'zod'
import type { NewEvent } from '../events/types'

/** The names of all query parameters of the API. */
export function queryParameters({ api }: Pick<UmaAuthVasp, 'api'>): ReadonlySet<string> {
  return new Set(
    api.endpoints.flatMap(({ query }) => (query instanceof z.ZodObject ? Object.keys(query.shape as object) : [])),
  )
}

/** The event of an API call or a token exchange. Its owner comes from a token with a verified signature. */
export function callToEvent(event: CallEvent, parameters: ReadonlySet<string>): NewEvent {
  const { requestId, route, method, path, query, status, durationMs, claims, failedCheck, bearerFault, connectionId } =
    event
  return {
    kind: route === 'POST /token' ? 'token_exchange' : 'api_call',
    name: route === 'unknown' ? 'unknown path' : route,
    userId: claims?.userId,
    connectionId: connectionId ?? (claims?.use === 'connection' ? claims.id : undefined),
    requestId,
    status,
    durationMs,
    failedCheck,
    summary: status < 400 ? undefined : errorText(event.responseText),
    detail: {
      request: event.requestText,
      response: event.responseText,
      facts: {
        method: method.slice(0, 20),
        path: path.slice(0, 300),
        query: knownQuery(query, parameters),
        claims,
        bearerFault,
      },
    },
  }
}

/** Keeps the values of the API's own parameters. Of other parameters it keeps the name only: a client can put a secret there. */
function knownQuery(query: string, parameters: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(query.slice(0, 2_000))]
      .slice(0, 20)
      .map(([name, value]) => [name.slice(0, 40), parameters.has(name) ? value.slice(0, 200) : '[not stored]']),
  )
}

function errorText(responseText: string): string {
  const { code, message, error } = JSON.parse(responseText) as { code?: string; message?: string; error?: string }
  return [code, message ?? error].filter((part) => part !== undefined).join(': ')
}
