import type { IncomingMessage } from 'node:http'
import type { Settings } from '../config'
import { isApiPath, isNodePath, isUmaPath, hasDotSegment } from './paths'
import { isPagePath, methodsOf } from './page-paths'
import { LARGEST_BODY_BYTES } from './read-body'
import { isRouterState } from './router-state'

const LONGEST_URL = 8 * 1024
/** Node keeps the first of two lines, a proxy in front may have checked the second. */
const ONCE_ONLY = ['host', 'authorization', 'origin', 'content-type', 'next-router-state-tree']

export interface Rejection {
  readonly status: 400 | 404 | 405 | 411 | 413 | 414 | 421 | 503
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

type Head = Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>

/** What no page and no endpoint needs to see is refused before anything reads it. */
export function rejectMalformed(request: Head, settings: Pick<Settings, 'publicOrigin'>): Rejection | undefined {
  const url = request.url ?? ''
  if (!url.startsWith('/')) return { status: 400, text: 'The request line must name a path.' }
  if (url.length > LONGEST_URL) return { status: 414, text: 'The address is longer than 8 kB.' }
  if (hasDotSegment(url)) return { status: 400, text: 'The path has a dot segment (“.” or “..”). Send it without.' }
  return isApiPath(url) || isNodePath(url) || isUmaPath(url)
    ? refuseApiCall(request)
    : refusePage(request, url.split('?', 1)[0] ?? '', settings)
}

/**
 * The API is often called by an internal name, carries no cookie, answers two bearer tokens with its own 401, and counts
 * its own bodies, after the token; so does the Lightning node, whose callers sign the host that they mean, and so do the
 * addresses for other VASPs, which look at the host themselves. Only a body where none belongs is nobody's to read.
 */
function refuseApiCall({ method, headers, rawHeaders }: Head): Rejection | undefined {
  if (isRepeated('host', rawHeaders)) return repeated('host')
  return method === 'GET' || method === 'HEAD' ? refuseBody(headers) : undefined
}

function refusePage(request: Head, path: string, settings: Pick<Settings, 'publicOrigin'>): Rejection | undefined {
  const { method = '', headers, rawHeaders } = request
  const twice = ONCE_ONLY.find((name) => isRepeated(name, rawHeaders))
  if (twice !== undefined) return repeated(twice)
  if (!path.startsWith('/-/') && headers.host !== new URL(settings.publicOrigin).host) {
    return { status: 421, text: `This server answers at ${settings.publicOrigin}.` }
  }
  if (!isPagePath(path)) return { status: 404, text: 'There is no such page.' }
  const methods = methodsOf(path)
  if (!methods.includes(method)) {
    const allow = methods.join(', ')
    return { status: 405, text: `This address takes ${allow}.`, headers: { Allow: allow } }
  }
  const state = headers['next-router-state-tree']
  if (typeof state === 'string' && !isRouterState(state)) {
    return { status: 400, text: 'The header Next-Router-State-Tree cannot be read.' }
  }
  return refuseBody(headers)
}

function refuseBody(headers: Head['headers']): Rejection | undefined {
  if (Number(headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) {
    return { status: 413, text: 'The request body is larger than 64 kB.' }
  }
  if (headers['transfer-encoding'] !== undefined) {
    return { status: 411, text: 'The request must say how long its body is.' }
  }
  return undefined
}

/** Names and values take turns in `rawHeaders`; `headers` no longer tells one line from two. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === name) times += 1
  return times > 1
}

function repeated(name: string): Rejection {
  return { status: 400, text: `The header ${name} is given more than once.` }
}
