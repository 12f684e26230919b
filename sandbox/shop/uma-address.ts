export interface UmaAddress {
  /** With the dollar sign, lower case: `$alice@localhost:3000`. */
  readonly text: string
  readonly origin: string
}

const NAME = /^\$?([a-z0-9][a-z0-9._+-]{0,63})$/

/** http for this machine only; every other address is https. */
export function isLocalHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]'
}

/** Reads `$alice@localhost:3000`; undefined for an invalid address. Except for this machine, a domain name is required. */
export function parseUmaAddress(raw: string): UmaAddress | undefined {
  const [name = '', host = '', ...rest] = raw.trim().toLowerCase().split('@')
  const user = NAME.exec(name)?.[1]
  if (user === undefined || rest.length > 0 || !/^[a-z0-9.:[\]-]{1,253}$/.test(host)) return undefined
  const url = readUrl(`https://${host}`)
  if (url === undefined || url.hostname === '' || url.pathname !== '/') return undefined
  const local = isLocalHost(url.hostname)
  if (!local && (/^[\d.]+$/.test(url.hostname) || url.hostname.startsWith('['))) return undefined
  // A server on this machine behind TLS, as in compose.yaml, uses the default https port.
  const scheme = local && url.port !== '' ? 'http' : 'https'
  return { text: `$${user}@${host}`, origin: new URL(`${scheme}://${host}`).origin }
}

/** Node before 22 has no URL.parse. */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
