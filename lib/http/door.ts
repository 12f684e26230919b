import type { IncomingMessage } from 'node:http'
import type { Settings } from '../settings'
import { LARGEST_BODY_BYTES } from './read-body'

const LONGEST_URL = 8 * 1024

export interface Refusal {
  readonly status: 400 | 411 | 413 | 414 | 421
  readonly text: string
}

type Head = Pick<IncomingMessage, 'url' | 'headers'>

/** What no page and no endpoint needs to see is refused before anything reads it. */
export function refuseAtTheDoor(
  request: Head,
  settings: Pick<Settings, 'publicOrigin' | 'apiBasePath'>,
): Refusal | undefined {
  const url = request.url ?? ''
  if (!url.startsWith('/')) return { status: 400, text: 'The request line must name a path.' }
  if (url.length > LONGEST_URL) return { status: 414, text: 'The address is longer than 8 kB.' }
  // The API counts its own bodies, and is often called by an internal name; it carries no cookie.
  if (url.startsWith(`${settings.apiBasePath}/`)) return undefined
  if (!url.startsWith('/-/') && request.headers.host !== new URL(settings.publicOrigin).host) {
    return { status: 421, text: `This server answers at ${settings.publicOrigin}.` }
  }
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) {
    return { status: 413, text: 'The request body is larger than 64 kB.' }
  }
  if (request.headers['transfer-encoding'] !== undefined) {
    return { status: 411, text: 'The request must say how long its body is.' }
  }
  return undefined
}
