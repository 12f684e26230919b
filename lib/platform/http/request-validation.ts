import type { IncomingMessage } from 'node:http'
import type { Settings } from '../config'
import { isApiPath, isDecodable, isNodePath, isUmaPath, hasDotSegment } from './paths'
import { MAX_BODY_BYTES } from './read-body'

const MAX_URL_LENGTH = 8 * 1024
/** Of a repeated header Node keeps the first line. A proxy before this server may have checked another one. */
const UNREPEATABLE_HEADERS = ['host', 'authorization', 'origin', 'content-type']

export interface Rejection {
  readonly status: 400 | 404 | 405 | 411 | 413 | 414 | 415 | 421 | 503
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

type Head = Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>

/** Rejects a request by its head, before its body is read. Undefined for a request that may pass. */
export function rejectMalformed(request: Head, settings: Pick<Settings, 'publicOrigin'>): Rejection | undefined {
  const url = request.url ?? ''
  if (!url.startsWith('/')) return { status: 400, text: 'The request line must name a path.' }
  if (url.length > MAX_URL_LENGTH) return { status: 414, text: 'The address is longer than 8 kB.' }
  if (hasDotSegment(url)) return { status: 400, text: 'The path has a dot segment (“.” or “..”). Send it without.' }
  return isApiPath(url) || isNodePath(url) || isUmaPath(url)
    ? rejectProtocolCall(request)
    : rejectPage(request, url.split(/[?#]/, 1)[0] ?? '', settings)
}

/**
 * The API, the Lightning node and UMA check the host, repeated tokens and the size of a body themselves: the API is often called
 * by an internal name, and its handler verifies the token before it counts the body. GET and HEAD with a body are rejected.
 */
function rejectProtocolCall({ method, headers, rawHeaders }: Head): Rejection | undefined {
  if (isRepeated('host', rawHeaders)) return repeated('host')
  return method === 'GET' || method === 'HEAD' ? rejectBody(headers) : undefined
}

function rejectPage(request: Head, path: string, settings: Pick<Settings, 'publicOrigin'>): Rejection | undefined {
  const { method = '', headers, rawHeaders } = request
  const header = UNREPEATABLE_HEADERS.find((name) => isRepeated(name, rawHeaders))
  if (header !== undefined) return repeated(header)
  if (!path.startsWith('/-/') && headers.host !== new URL(settings.publicOrigin).host) {
    return { status: 421, text: `This server answers at ${settings.publicOrigin}.` }
  }
  // Next answers 500 to a malformed escape.
  if (!isDecodable(path)) return { status: 400, text: 'The path has a malformed “%” escape.' }
  // Next serves more below this prefix, such as its image optimizer. No page uses it.
  if (path.startsWith('/_') && !path.startsWith('/_next/static/'))
    return { status: 404, text: 'There is no such page.' }
  const methods = methodsOf(path)
  if (!methods.includes(method)) {
    const allow = methods.join(', ')
    return { status: 405, text: `This address takes ${allow}.`, headers: { Allow: allow } }
  }
  if (headers['next-action'] !== undefined || /^\s*multipart\//i.test(headers['content-type'] ?? '')) {
    return {
      status: 415,
      text: 'This server has no server actions. Forms are sent as application/x-www-form-urlencoded.',
    }
  }
  return rejectBody(headers)
}

/**
 * Next would run a page for any method. HEAD at `/connect` would create a token that no client receives, and HEAD at `/events` would
 * open a stream.
 */
function methodsOf(path: string): readonly string[] {
  if (path === '/connect' || path === '/events') return ['GET']
  // Next answers 500 to a POST for a file.
  return /\.\w+$/.test(path) ? ['GET', 'HEAD'] : ['GET', 'HEAD', 'POST']
}

function rejectBody(headers: Head['headers']): Rejection | undefined {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    return { status: 413, text: 'The request body is larger than 64 kB.' }
  }
  if (headers['transfer-encoding'] !== undefined) {
    return { status: 411, text: 'The request must say how long its body is.' }
  }
  return undefined
}

/** `rawHeaders` alternates names and values; `headers` holds one line of each name only. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length > 1
}

function repeated(name: string): Rejection {
  return { status: 400, text: `The header ${name} is given more than once.` }
}
