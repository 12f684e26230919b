interface Cookie {
  readonly name: string
  readonly value: string
  readonly host: string
  readonly path: string
}

/** Cookies of one browser. As in browsers, a cookie is sent to its host on every port. */
export class CookieJar {
  /** By name, host and path. */
  readonly #cookies = new Map<string, Cookie>()

  store(url: string, setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const equals = pair.indexOf('=')
      if (equals < 1) continue
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
      const path = attributeOf(attributes, 'path') ?? '/'
      const host = hostOf(new URL(url).hostname, attributeOf(attributes, 'domain'))
      const key = JSON.stringify([name, host, path])
      this.#cookies.delete(key)
      if (!isExpired(attributes)) this.#cookies.set(key, { name, value, host, path })
    }
  }

  /** The `Cookie` header for a URL; undefined when there is none. */
  headerFor(url: string): string | undefined {
    const { hostname, pathname } = new URL(url)
    const sent = [...this.#cookies.values()].filter(
      (cookie) => isWithin(hostname, cookie.host) && isBelow(pathname, cookie.path),
    )
    return sent.length === 0 ? undefined : sent.map(({ name, value }) => `${name}=${value}`).join('; ')
  }
}

/** The host of a cookie: its domain when the answering host belongs to it. */
function hostOf(hostname: string, domain: string | undefined): string {
  const named = domain?.replace(/^\./, '').toLowerCase() ?? ''
  return named.includes('.') && isWithin(hostname, `.${named}`) ? `.${named}` : hostname
}

/** A cookie's host that begins with a dot covers the hosts below it. */
function isWithin(hostname: string, host: string): boolean {
  return hostname === host.replace(/^\./, '') || (host.startsWith('.') && hostname.endsWith(host))
}

function attributeOf(attributes: readonly string[], name: string): string | undefined {
  const found = attributes.find((attribute) => attribute.toLowerCase().startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

function isExpired(attributes: readonly string[]): boolean {
  const maxAge = attributeOf(attributes, 'max-age')
  if (maxAge !== undefined) return Number(maxAge) <= 0
  const expires = attributeOf(attributes, 'expires')
  return expires !== undefined && Date.parse(expires) <= Date.now()
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}
