const API_PATH = /^\/+umanwc(\/|$)/i
const NODE_PATH = /^\/+sandbox-ln(\/|$)/i
/** A path without escapes, dots and doubled slashes, which needs no normalization. */
const PLAIN = /^(\/[\w$@-]+)+$/
const UMA_PATH = /^\/+(uma(\/|$)|\.well-known\/)/i
/** Next answers it. */
const DISCOVERY_PATH = '/.well-known/uma-configuration'

/**
 * Whether a request line leads to the gateway API, in any spelling: encoded, with doubled slashes, in another case, or through
 * dots (which request validation rejects). The API compares its own paths exactly, and no spelling reaches Next's mount of it.
 */
export function isApiPath(url: string): boolean {
  return leadsTo(API_PATH, url)
}

/** Whether a request line leads to the Lightning node, in any spelling, for the same reason. */
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
export function isDecodable(path: string): boolean {
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
 * Whether the path of a request line has a segment `.` or `..`, plain or escaped, behind any kind of slash. A URL parser
 * removes such segments, so a check on the text and a check on the parsed path would see different paths. Where Next owns
 * the server (`next dev`, `next start`) it resolves them before anything is checked.
 */
export function hasDotSegment(url: string): boolean {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return path
    .replaceAll(/%2e|%2f|%5c|\\/gi, (found) => ESCAPED[found.toLowerCase()] ?? found)
    .split('/')
    .some((segment) => segment === '.' || segment === '..')
}
