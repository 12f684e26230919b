const API_PATH = /^\/+umanwc(\/|$)/i
const NODE_PATH = /^\/+sandbox-ln(\/|$)/i
/** No escapes, no dots, no doubled slash: it is what it looks like. */
const PLAIN = /^(\/[\w$@-]+)+$/
const UMA_PATH = /^\/+(uma(\/|$)|\.well-known\/)/i
/** Next answers it. */
const DISCOVERY_PATH = '/.well-known/uma-configuration'

/**
 * Whether a request line leads to the gateway API, in whatever spelling: encoded, doubled slashes, other case, or through
 * dots (which the server refuses). All of them end at the API, which knows its own paths exactly, so that no odd one
 * falls through to Next's mount.
 */
export function isApiPath(url: string): boolean {
  return leadsTo(API_PATH, url)
}

/** Whether a request line leads to the Lightning node, in whatever spelling, for the same reason. */
export function isNodePath(url: string): boolean {
  return leadsTo(NODE_PATH, url)
}

/**
 * Whether a request line leads to what other VASPs ask, in whatever spelling: below `/uma` and, but for the discovery document,
 * below `/.well-known/`, where browsers may read even that a document is not there.
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

/** The path of a request line as the API's URL parser reads it: without query and fragment, backslashes turned. */
export function parsedPath(url: string): string {
  if (PLAIN.test(url)) return url
  const whole = `http://localhost${url}`
  return URL.canParse(whole) ? new URL(whole).pathname : url
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
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
