import type { ServerResponse } from 'node:http'

/** The headers of every answer: no framing, no content sniffing, no scripts. Pages set their own content policy. */
export const BASE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const

/**
 * Adds the base headers that an answer does not set itself. It adds them when the head is written: Next keeps headers that
 * were set earlier, so headers added earlier would replace those of a page. It also adds the `Allow` header that Next omits
 * from its 405 (RFC 9110, 15.5.6) for its routes: each takes either POST or GET.
 */
export function addBaseHeaders(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]): ServerResponse => {
    for (const [name, value] of Object.entries(BASE_HEADERS)) {
      if (!response.hasHeader(name)) response.setHeader(name, value)
    }
    if (args[0] === 405 && !response.hasHeader('Allow'))
      response.setHeader('Allow', response.req.method === 'POST' ? 'GET, HEAD' : 'POST')
    return writeHead(...args)
  }
}
