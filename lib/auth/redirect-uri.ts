/** Where a login may return to, once the redirect_uri has been checked. */
export interface LoginReturn {
  /** The normalised URL: the browser goes to exactly this, plus `token` and `currency`. */
  readonly url: URL
  /** What the gateway's own parameters reveal; said by a stranger, so shown as such. */
  readonly appHost: string | undefined
  readonly clientId: string | undefined
  /** `uma_username`: whom of this VASP the app asks for, as a bare user name. */
  readonly asksFor: string | undefined
}

const LONGEST_REDIRECT = 8_000
/** Everything that URL() would silently repair: blanks, control characters, backslash, non-ASCII. */
const REPAIRABLE = /[^\x21-\x7e]|\\/
const SCHEME = /^https?:\/\//i

/**
 * Checks a `redirect_uri` (specification, Authentication 9 and Errors).
 * Accepts only URLs of the gateway: same origin as its root, and a path under the root's on a segment boundary, after
 * normalisation. A gateway's own site encodes the value twice, so a value that does not look like a URL is decoded once
 * more; a value that is a URL already never is.
 */
export function checkRedirectUri(raw: string, gatewayRoot: URL, vaspDomain: string): LoginReturn | undefined {
  if (raw.length > LONGEST_REDIRECT) return undefined
  const decoded = SCHEME.test(raw) ? raw : decodeOnce(raw)
  if (decoded === undefined || !SCHEME.test(decoded) || REPAIRABLE.test(decoded) || decoded.includes('#'))
    return undefined
  if (!namesGateway(decoded, gatewayRoot) || !URL.canParse(decoded)) return undefined
  const url = new URL(decoded)
  if (url.origin !== gatewayRoot.origin) return undefined
  if (!isUnder(url.pathname, gatewayRoot.pathname)) return undefined
  return { url, ...readAsker(url, vaspDomain) }
}

/** The origin that a redirect_uri names, and nothing else of it: for the log. */
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
 * Whether host and port are spelled as in the gateway's root; the scheme's own port may be written out. URL() would also
 * accept user info, further slashes, escapes in the host, an empty port and a padded one.
 */
function namesGateway(url: string, { host, port, protocol }: URL): boolean {
  const authority = url.replace(SCHEME, '').split(/[/?]/, 1)[0]?.toLowerCase()
  if (authority === host) return true
  return port === '' && authority === `${host}:${protocol === 'https:' ? 443 : 80}`
}

/** `/nwc` covers `/nwc` and `/nwc/x`, not `/nwcevil`. An encoded slash or dot cannot climb out: nobody decodes it for us. */
function isUnder(path: string, root: string): boolean {
  const base = root.endsWith('/') ? root.slice(0, -1) : root
  if (/%2f|%5c|%2e/i.test(path)) return false
  return path === base || path.startsWith(`${base}/`)
}

function readAsker(url: URL, vaspDomain: string): Pick<LoginReturn, 'appHost' | 'clientId' | 'asksFor'> {
  const appReturn = url.searchParams.get('redirect_uri')
  const appHost = appReturn !== null && URL.canParse(appReturn) ? new URL(appReturn).host.slice(-255) : ''
  const clientId = clean(url.searchParams.get('client_id') ?? '').slice(0, 200)
  const asksFor = readPerson(url.searchParams.get('uma_username') ?? '', vaspDomain)
  return { appHost: appHost || undefined, clientId: clientId || undefined, asksFor }
}

/** `bob`, `$bob` or `$bob@` and our own domain: who bears the name elsewhere is nobody here. */
function readPerson(umaUsername: string, vaspDomain: string): string | undefined {
  const [, name, domain] = /^\$?([a-z0-9._+-]{1,63})(?:@(.*))?$/.exec(umaUsername.toLowerCase()) ?? []
  return domain === undefined || domain === vaspDomain ? name : undefined
}

/** A database text cannot hold NUL, and a page should not hold what turns text around. */
function clean(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
}

/**
 * The address the browser is sent to: every parameter that was there, byte for byte, and exactly one `token` and one
 * `currency`, which are ours (set, never appended).
 */
export function returnAddress(url: URL, token: string, currency: unknown): string {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !OURS.has(nameOf(pair)))
  const ours = [`token=${encodeURIComponent(token)}`, `currency=${encodeURIComponent(JSON.stringify(currency))}`]
  return `${url.origin}${url.pathname}?${[...kept, ...ours].join('&')}`
}

const OURS = new Set(['token', 'currency'])

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? ''
}
