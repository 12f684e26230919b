import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/**
 * Node keeps the first of two Authorization headers and drops the second, so where Next owns the server the repetition
 * would go unnoticed. Joined by a comma, as in our own server, the two values are an invalid bearer token. For `next dev` and
 * `next start`.
 */
export function joinRepeatedAuthorization(): void {
  subscribe('http.server.request.start', (message) => {
    const { rawHeaders, headers } = (message as { request: IncomingMessage }).request
    const values = rawHeaders.filter((_, index) => index % 2 === 1 && isAuthorization(rawHeaders[index - 1]))
    if (values.length > 1) headers.authorization = values.join(', ')
  })
}

function isAuthorization(name: string | undefined): boolean {
  return name?.toLowerCase() === 'authorization'
}
