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
