import type { IncomingMessage } from 'node:http'
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
import type { Settings } from '../config'
import { DISCOVERY_PATH, documentPathOf } from './documents'
import { healthPathOf } from './health'
import { MAX_BODY_BYTES } from './read-body'

const API_PATH = /^\/+umanwc(\/|$)/i
const NODE_PATH = /^\/+sandbox-ln(\/|$)/i
/** A path without escapes, dots or doubled slashes, which needs no normalization. */
const PLAIN = /^(\/[\w$@-]+)+$/
/** Called by test programs, not by pages. */
const SANDBOX_API_PATH = /^\/sandbox\/(users|faults)(\/|$)/
/** One user, or one fault. */
const SANDBOX_API_ITEM = /^\/sandbox\/(users|faults)\/[^/]+$/
const UMA_PATH = /^\/+(uma(\/|$)|\.well-known\/)/i

const MAX_URL_LENGTH = 8 * 1024
/**
 * When one of these headers is repeated, Node keeps only the first line, or joins the lines of `Origin`. A proxy in front of
 * this server may have checked another line.
 */
const UNREPEATABLE_HEADERS = ['host', 'authorization', 'origin', 'content-type']

export interface Rejection {
  readonly status: 308 | 400 | 404 | 405 | 411 | 413 | 414 | 415 | 421 | 503
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

type Head = Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>

/** Rejects a request by its head, before its body is read. Undefined for a request that may pass. */
export function rejectMalformed(request: Head, settings: Pick<Settings, 'publicOrigin'>): Rejection | undefined {
  const url = request.url ?? ''
  if (!url.startsWith('/')) return { status: 400, text: 'The request line must name a path.' }
  if (url.length > MAX_URL_LENGTH) return { status: 414, text: 'The address is longer than 8 kB.' }
  if (hasDotSegment(url))
    return { status: 400, text: 'The path has a dot segment (“.” or “..”). Send the path without it.' }
  return isApiPath(url) || isNodePath(url) || isUmaPath(url)
    ? rejectProtocolCall(request)
    : rejectPage(request, url.split(/[?#]/, 1)[0] ?? '', settings)
}

/**
 * The API, the Lightning node and UMA check repeated tokens and the size of a body themselves: the API's handler verifies the
 * token before it counts the body. The API accepts any host, because it is often called by an internal name; UMA checks the
 * host itself, and a call to the Lightning node is signed for its host. GET and HEAD may send only a small body.
 */
function rejectProtocolCall({ method, headers, rawHeaders }: Head): Rejection | undefined {
  if (isRepeated('host', rawHeaders)) return repeated('host')
  return method === 'GET' || method === 'HEAD' ? rejectBody(headers) : undefined
}

function rejectPage(request: Head, path: string, settings: Pick<Settings, 'publicOrigin'>): Rejection | undefined {
  const { method = '', headers, rawHeaders } = request
  const header = UNREPEATABLE_HEADERS.find((name) => isRepeated(name, rawHeaders))
  if (header !== undefined) return repeated(header)
  if (!isForOperator(path) && headers.host !== new URL(settings.publicOrigin).host) {
    return { status: 421, text: `This server answers at ${settings.publicOrigin}.` }
  }
  // Next answers 500 to a malformed escape.
  if (!isDecodable(path)) return { status: 400, text: 'The path has a malformed “%” escape.' }
  const spelling = rejectSpelling(method, request.url ?? '', path)
  if (spelling !== undefined) return spelling
  if (!isRouterState(headers['next-router-state-tree']))
    return { status: 400, text: 'The header Next-Router-State-Tree cannot be read. Reload the page.' }
  // Next serves more paths below this prefix, such as its image optimizer. No page uses them.
  if (path.startsWith('/_') && !path.startsWith('/_next/static/'))
    return { status: 404, text: 'Page not found. Check the address.' }
  const methods = methodsOf(path)
  if (!methods.includes(method)) {
    const allow = methods.join(', ')
    return { status: 405, text: `This address accepts ${allow}.`, headers: { Allow: allow } }
  }
  if (headers['next-action'] !== undefined || /^\s*multipart\//i.test(headers['content-type'] ?? '')) {
    return {
      status: 415,
      text: 'This server has no server actions. Send forms as application/x-www-form-urlencoded.',
    }
  }
  return rejectBody(headers)
}

/** An escaped character that needs no escape (RFC 3986, section 2.3), or an escaped slash, backslash or percent sign. */
const NEEDLESS_ESCAPE = /%(?:2[5DEF]|3\d|4[1-9A-F]|5[\dACF]|6[1-9A-F]|7[\dAE])/i

/**
 * A page has one spelling, so that a check of its path here, such as of the methods or of the sign-ins, cannot be walked round. Next
 * would serve it at others too: with escapes, and with more slashes, for which a browser is redirected.
 */
function rejectSpelling(method: string, url: string, path: string): Rejection | undefined {
  if (url.includes('#') || path.includes('\\') || NEEDLESS_ESCAPE.test(path))
    return {
      status: 400,
      text: 'The path is written in an unusual way. Send it without a “#” or “\\”, and without escapes of letters, digits and slashes.',
    }
  const segments = path.slice(1).split('/')
  if (path === '/' || !segments.includes('')) return undefined
  if (method !== 'GET' && method !== 'HEAD') return { status: 404, text: 'Page not found. Check the address.' }
  const location = `/${segments.filter((segment) => segment !== '').join('/')}${url.slice(path.length)}`
  return { status: 308, text: `This page is at ${location}.`, headers: { Location: location } }
}

/** Whether Next can read this header. It would answer 500 otherwise, and log the error with its stack. */
function isRouterState(header: string | string[] | undefined): boolean {
  try {
    parseAndValidateFlightRouterState(header)
    return true
  } catch {
    return false
  }
}

/**
 * Next would run a page for any method. HEAD at `/connect` would create a token that no client receives, and HEAD at `/events` would
 * open a stream.
 */
function methodsOf(path: string): readonly string[] {
  if (path === '/connect' || path === '/events') return ['GET']
  if (healthPathOf(path) !== undefined) return ['GET', 'HEAD']
  // Pages of any origin may read these, so they answer preflights.
  if (documentPathOf(path) !== undefined) return ['GET', 'HEAD', 'OPTIONS']
  if (SANDBOX_API_PATH.test(path)) return [SANDBOX_API_ITEM.test(path) ? 'DELETE' : 'POST']
  // Next answers 500 to a POST for a file.
  return /\.\w+$/.test(path) ? ['GET', 'HEAD'] : ['GET', 'HEAD', 'POST']
}

function rejectBody(headers: Head['headers']): Rejection | undefined {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    return { status: 413, text: 'The request body is larger than 64 kB.' }
  }
  if (headers['transfer-encoding'] !== undefined) {
    return { status: 411, text: 'The request must send Content-Length instead of Transfer-Encoding.' }
  }
  return undefined
}

/** `rawHeaders` alternates names and values, one pair for each line; `headers` holds one value for each name only. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length > 1
}

function repeated(name: string): Rejection {
  return { status: 400, text: `The header ${name} is given more than once.` }
}

/**
 * Whether a request line leads to the gateway API, in any spelling: encoded, with doubled slashes, in another case, or
 * through dots (which request validation rejects). The API compares its own paths exactly, and no spelling reaches
 * Next's mount of the API.
 */
export function isApiPath(url: string): boolean {
  return leadsTo(API_PATH, url)
}

/** Whether a request line leads to the Lightning node, in any spelling, as in `isApiPath`. */
export function isNodePath(url: string): boolean {
  return leadsTo(NODE_PATH, url)
}

/**
 * Whether a request line leads to the endpoints for other VASPs, in any spelling: below `/uma` and, except for the discovery
 * document, below `/.well-known/`, where browsers of any origin may also read a 404.
 */
export function isUmaPath(url: string): boolean {
  return pathOf(url) !== DISCOVERY_PATH && leadsTo(UMA_PATH, url)
}

/** Whether a request line is for an operator's command. No page is below this path. */
export function isForOperator(url: string): boolean {
  return url.startsWith('/-/')
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

function leadsTo(where: RegExp, url: string): boolean {
  const path = pathOf(url)
  if (PLAIN.test(path)) return where.test(path)
  return [path, parsedPath(path)].some((each) => where.test(decoded(each)))
}

/** The path of a request line as the API's URL parser reads it: without query and fragment, backslashes as slashes. */
export function parsedPath(url: string): string {
  if (PLAIN.test(url)) return url
  const whole = `http://localhost${url}`
  return URL.canParse(whole) ? new URL(whole).pathname : url
}

/** Whether every `%` escape of the path is valid UTF-8. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function decoded(path: string): string {
  return isDecodable(path) ? decodeURIComponent(path) : path
}

const ESCAPED: Readonly<Record<string, string>> = { '%2e': '.', '%2f': '/', '%5c': '/', '\\': '/' }

/**
 * Whether the path of a request line has a segment `.` or `..`, plain or escaped, after any kind of slash. A URL parser
 * removes such segments, so a check on the text and a check on the parsed path would see different paths. Where Next owns
 * the server (`next dev`, `next start`), Next resolves the segments before anything is checked.
 */
function hasDotSegment(url: string): boolean {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return path
    .replaceAll(/%2e|%2f|%5c|\\/gi, (found) => ESCAPED[found.toLowerCase()] ?? found)
    .split('/')
    .some((segment) => segment === '.' || segment === '..')
}
