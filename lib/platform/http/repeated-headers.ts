import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/**
 * Node keeps the first of two Authorization lines and drops the other, and where Next owns the server nobody sees that
 * there were two. Joined by a comma, as on our own mount, they are no bearer token. For `next dev` and `next start`.
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
