const API_PATH = /^\/+umanwc(\/|$)/i
const NODE_PATH = /^\/+sandbox-ln(\/|$)/i
/** No escapes, no dots, no doubled slash: it is what it looks like. */
const PLAIN = /^(\/[\w$@-]+)+$/
const UMA_PATH = /^\/+(uma|\.well-known\/+lnurlp(ubkey)?)(\/|$)/i

/**
 * Whether a request line leads to the gateway API, in whatever spelling: encoded, doubled slashes, other case, or through
 * dots. All of them end at the API, which knows its own paths exactly, so that no odd one falls through to Next's mount.
 */
export function isApiPath(url: string): boolean {
  return leadsTo(API_PATH, url)
}

/** Whether a request line leads to the Lightning node, in whatever spelling, for the same reason. */
export function isNodePath(url: string): boolean {
  return leadsTo(NODE_PATH, url)
}

/** Whether a request line leads to what other VASPs ask, in whatever spelling. */
export function isUmaPath(url: string): boolean {
  return leadsTo(UMA_PATH, url)
}

function leadsTo(where: RegExp, url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  if (PLAIN.test(path)) return where.test(path)
  return [path, normalised(path)].some((each) => where.test(decoded(each)))
}

/** As the API reads it: dots resolved, backslashes turned. */
function normalised(path: string): string {
  const whole = `http://localhost${path}`
  return URL.canParse(whole) ? new URL(whole).pathname : path
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
