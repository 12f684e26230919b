/**
 * The first parameter that a request has twice, if any. OAuth permits each parameter once (RFC 6749, sections 3.1 and
 * 3.2): two parties could each read another value. Only `resource` may be repeated (RFC 8707, section 2).
 */
export function repeatedParameter(parameters: URLSearchParams): string | undefined {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name) && name !== 'resource') return name.slice(0, 40)
    seen.add(name)
  }
  return undefined
}
