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

/**
 * A parameter that the app has sent. An empty one counts as omitted (RFC 6749, sections 3.1 and 3.2); white space is a
 * value, because `state` is returned exactly as it was sent.
 */
export function parameterOf(parameters: URLSearchParams, name: string): string | undefined {
  return parameters.get(name) || undefined
}
