const API_PATH = /^\/+umanwc(\/|$)/i

/**
 * Whether a request line leads to the gateway API, in whatever spelling: encoded, doubled slashes, other case, or through
 * dots. All of them end at the API, which knows its own paths exactly, so that no odd one falls through to Next's mount.
 */
export function isApiPath(url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  return [path, normalised(path)].some((each) => API_PATH.test(decoded(each)))
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
