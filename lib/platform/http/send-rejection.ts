import type { IncomingMessage, ServerResponse } from 'node:http'
import { BASE_HEADERS } from './base-headers'
import type { Rejection } from './request-validation'

/** How long the rest of a rejected request is read. */
const LINGER_MS = 1_000

/** The body of a rejection for each protocol. On other paths a browser receives a page, and other clients the sentence. */
const BODIES = {
  api: (text: string) => JSON.stringify({ code: 'OTHER', message: text }),
  exchange: (text: string) => JSON.stringify({ error: text }),
  uma: (text: string) => JSON.stringify({ status: 'ERROR', reason: text, code: 'INVALID_REQUEST_FORMAT' }),
}

/** A rejection as a page for a browser; undefined for a client that does not ask for one. */
export type RejectionPage = (
  headers: Readonly<Record<'accept' | 'cookie' | 'referer', string | undefined>>,
  rejection: { readonly status: number; readonly text: string; readonly retryAfter: string | undefined },
) => { readonly body: string; readonly headers: Readonly<Record<string, string>> } | undefined

export function sendRejection(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: Rejection,
  reader: keyof typeof BODIES | RejectionPage,
): void {
  const { status, text, headers = {} } = rejection
  const { accept, cookie, referer } = request.headers
  const page =
    typeof reader === 'string'
      ? undefined
      : reader({ accept, cookie, referer }, { status, text, retryAfter: headers['Retry-After'] })
  const body = typeof reader === 'string' ? BODIES[reader](text) : (page?.body ?? text)
  response.writeHead(status, {
    ...BASE_HEADERS,
    'Content-Length': Buffer.byteLength(body),
    'Content-Type': typeof reader === 'string' ? 'application/json' : 'text/plain; charset=utf-8',
    ...page?.headers,
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...headers,
  })
  if (request.complete || response.socket === null) return void response.end(body)
  response.write(body)
  endAfterRequest(request, response)
}

/**
 * Discards the rest of the request, for at most `LINGER_MS`, before the connection closes. The operating system resets
 * a connection that closes while the client is still sending, and the client would lose the answer.
 */
function endAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(late)
    response.end()
  }
  const late = setTimeout(end, LINGER_MS)
  request.once('end', end).once('error', end).once('close', end).resume()
}
