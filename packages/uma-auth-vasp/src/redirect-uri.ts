/** The checked address that a login returns to. */
export interface LoginReturn {
  /** The normalized URL. The browser is redirected to it with `token` and `currency` added. */
  readonly url: URL
  /** Host of the app's own `redirect_uri`, if it has exactly one. Not verified: show it as such. */
  readonly appHost: string | undefined
  readonly clientId: string | undefined
  /** `uma_username`: the user that the app asks for, as the user part of an address of this VASP. */
  readonly asksFor: string | undefined
}

/** The signed request is a third longer and must fit into the address of a sign-in page. Servers accept 8 kB. */
const MAX_REDIRECT_LENGTH = 5_000
/** Characters that URL() would silently repair: spaces, control characters, backslash, non-ASCII. */
const REPAIRABLE = /[^\x21-\x7e]|\\/
const SCHEME = /^https?:\/\//i

/**
 * Checks a `redirect_uri` (specification, Authentication 9 and Errors).
 * Accepts only URLs of the gateway: the same origin as its root, and a path below the root's on a segment boundary, after
 * normalization. The public gateway encodes the value twice, so a value that is not yet a URL is decoded
 * again. A value that begins with a scheme is not decoded.
 */
export function checkRedirectUri(raw: string, gatewayRoot: URL, domain: string): LoginReturn | undefined {
  const decoded = SCHEME.test(raw) ? raw : decodeOnce(raw)
  if (decoded === undefined || !SCHEME.test(decoded) || REPAIRABLE.test(decoded) || decoded.includes('#'))
    return undefined
  if (!namesGateway(decoded, gatewayRoot) || !URL.canParse(decoded)) return undefined
  const url = new URL(decoded)
  if (url.origin !== gatewayRoot.origin || url.href.length > MAX_REDIRECT_LENGTH) return undefined
  if (!isBelow(url.pathname, gatewayRoot.pathname)) return undefined
  return { url, ...readAsker(url, domain) }
}

/** @returns only the origin of a `redirect_uri`, for the log. */
export function originForLog(raw: string | null): string {
  if (raw === null) return 'none'
  const decoded = SCHEME.test(raw) ? raw : (decodeOnce(raw) ?? '')
  return SCHEME.test(decoded) && URL.canParse(decoded) ? new URL(decoded).origin.slice(0, 200) : 'not a web address'
}

function decodeOnce(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

/**
 * Whether host and port are spelled as in the gateway's root; the scheme's default port may be written out. URL() would also
 * accept user info, further slashes, escapes in the host, an empty port and a zero-padded one.
 */
function namesGateway(url: string, { host, port, protocol }: URL): boolean {
  const authority = url.replace(SCHEME, '').split(/[/?]/, 1)[0]?.toLowerCase()
  if (authority === host) return true
  return port === '' && authority === `${host}:${protocol === 'https:' ? 443 : 80}`
}

/** `/nwc` covers `/nwc` and `/nwc/x`, not `/nwcevil`. Encoded slashes and dots are refused: the gateway might decode them. */
function isBelow(path: string, root: string): boolean {
  const base = root.endsWith('/') ? root.slice(0, -1) : root
  if (/%2f|%5c|%2e/i.test(path)) return false
  return path === base || path.startsWith(`${base}/`)
}

function readAsker(url: URL, domain: string): Pick<LoginReturn, 'appHost' | 'clientId' | 'asksFor'> {
  const [appReturn = '', ...more] = url.searchParams.getAll('redirect_uri')
  const appHost = more.length === 0 && URL.canParse(appReturn) ? new URL(appReturn).host.slice(-255) : ''
  const clientId = printable(url.searchParams.get('client_id') ?? '').slice(0, 200)
  const asksFor = readUser(url.searchParams.get('uma_username') ?? '', domain)
  return { appHost: appHost || undefined, clientId: clientId || undefined, asksFor }
}

/** `bob`, `$bob`, or `$bob@` and this VASP's domain. A name of another domain is ignored. */
function readUser(umaUsername: string, domain: string): string | undefined {
  const [, name, at] = /^\$?([a-z0-9._+-]{1,63})(?:@(.*))?$/.exec(umaUsername.toLowerCase()) ?? []
  return at === undefined || at === domain ? name : undefined
}

/** Removes control characters, which a database cannot store, and marks that reverse the direction of text. */
function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
}

/**
 * The address that the browser is sent to: every existing parameter, byte for byte, and exactly one `token` and one
 * `currency` (specification, authorization flow 3).
 */
export function returnAddress(url: URL, token: string, currency: unknown): string {
  return withParameters(`${url.origin}${url.pathname}${url.search}`, { token, currency: JSON.stringify(currency) })
}

/**
 * An address of another party with our parameters: its query byte for byte, then ours, percent-encoded. Parameters of the
 * same names are removed from its query, so that each of ours appears once. A fragment stays last.
 *
 * `URL.searchParams` is not used: it writes the whole query again (`?close` as `?close=`, `%20` as `+`), and parties
 * compare, sign or route by the exact text.
 */
export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const [, base = '', query = '', fragment = ''] = /^([^?#]*)\??([^#]*)(#.*)?$/s.exec(address) ?? []
  const kept = query.split('&').filter((pair) => !Object.hasOwn(parameters, nameOf(pair)))
  const ours = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${base}?${kept.join('&').replace(/(?<=[^&])$/, '&')}${ours.join('&')}${fragment}`
}

function nameOf(pair: string): string {
  // URLSearchParams ignores a question mark at the beginning of its text.
  return new URLSearchParams(`&${pair}`).keys().next().value ?? ''
}
