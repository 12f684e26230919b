import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/**
 * For `next dev` and `next start`, where Next owns the server. Node keeps the first of two Authorization headers and
 * drops the second, so a repeated header would go unnoticed. This function joins the values with a comma, as our own
 * server does, which makes them an invalid bearer token.
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
