import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../gateway/api'
import type { Log } from '../log'
import { BASE_HEADERS } from './base-headers'

/** Mounts the API on node:http. */
export function mountApi(api: Api, log: Log): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(api, request, response).catch((error: unknown) => {
      log.error({ error }, 'an answer could not be sent')
      response.destroy()
    })
  }
}

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', rawHeaders, socket } = request
  const asked = {
    method,
    // The host is nobody's business: every URL that we publish comes from the settings.
    url: `http://localhost${url}`,
    headers: { get: (name: string) => headerOf(rawHeaders, name) },
    body: request,
  }
  const { status, headers, text } = await api.answer(asked, { remoteAddress: socket.remoteAddress })
  response.writeHead(status, { ...BASE_HEADERS, ...headers, 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

/** From the lines as they came: node keeps the first of two Authorization lines, and two are no token. */
function headerOf(rawHeaders: readonly string[], name: string): string | null {
  let value: string | null = null
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== name) continue
    const line = rawHeaders[index + 1] ?? ''
    value = value === null ? line : `${value}, ${line}`
  }
  return value
}
