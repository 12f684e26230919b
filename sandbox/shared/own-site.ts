/** Whether this host name reaches a process that listens on both loopback addresses. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}

/**
 * Where a page must be opened instead, when it was reached at a host where its forms cannot work, such as
 * `127.0.0.1:3200` for a configured `http://localhost:3200`; undefined for the configured host. Only a site that is
 * configured as http on a loopback address redirects: others stand behind a proxy, which may send any host, and a redirect
 * would never end.
 */
export function addressAtOwnHost(request: Request, ownOrigin: string): string | undefined {
  const own = new URL(ownOrigin)
  const host = request.headers.get('host')?.toLowerCase()
  if (own.protocol !== 'http:' || !isThisMachine(own.hostname)) return undefined
  if (host === undefined || host === own.host) return undefined
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const path = request.url.replace(/^[a-z]{1,8}:\/\/[^/?#]{0,300}/i, '')
  // Programs call these paths at any address.
  if (path.startsWith('/-/') || path.startsWith('/.well-known/')) return undefined
  return `${own.origin}${path.startsWith('/') ? '' : '/'}${path}`
}

/**
 * Whether a form was sent by our own page. Every port of localhost shares one cookie jar, so `Origin` decides. Some
 * browsers and extensions leave it out, or send `null`, with our own forms. Then `Sec-Fetch-Site` decides, which no page
 * can set, and only at our own host: another name may lead to this machine, too.
 */
export function isOwnForm(headers: Headers, ownOrigin: string): boolean {
  const origin = headers.get('origin')
  if (origin !== null && origin !== 'null') return origin === ownOrigin
  return headers.get('sec-fetch-site') === 'same-origin' && headers.get('host') === new URL(ownOrigin).host
}
