/**
 * The scheme of an app on the user's device: a domain of the app in reverse order (RFC 8252, section 7.1). A scheme without a dot may
 * be one that a browser or another program opens, such as `javascript` or `tel`.
 */
const OWN_SCHEME = /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:$/
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\]|.*\.(local|internal))$/
/** Characters that URL() would silently remove or replace. */
const REPAIRED = /[\p{Cc}\s\\]/u

/** Why a login may not return to this address; undefined for an address that is allowed. */
export function redirectProblem(redirectUri: string): string | undefined {
  if (REPAIRED.test(redirectUri) || !URL.canParse(redirectUri))
    return 'it is not an address. Blanks, line breaks and backslashes must be percent-encoded'
  const url = new URL(redirectUri)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  // RFC 6749, section 3.1.2
  if (redirectUri.includes('#')) return 'it has a fragment (#)'
  if (hasUserInfo(redirectUri)) return 'it has user info (the part before @)'
  if (isWeb && !/^https?:\/\/[^/?]/i.test(redirectUri)) return 'it is not an address'
  if (!isWeb && !OWN_SCHEME.test(url.protocol))
    return 'its scheme is not a domain in reverse order, such as com.example.shop. For a web page, use https'
  if (url.protocol === 'http:' && !LOCAL.test(url.hostname)) return 'use https, or http on this machine'
  return /[;,'"]/.test(url.host) ? 'its host is not valid' : undefined
}

function hasUserInfo(uri: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?]*@/i.test(uri)
}

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/

/**
 * Whether an app registered this address: the same text (RFC 6749, section 3.1.2.3, and RFC 3986, section 6.2.1). Only
 * the port of a loopback address is free, because an app on this machine gets its port when it starts (RFC 8252, section
 * 7.3). `localhost` is a name, not an address, and its port counts.
 */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  return registered.some((each) => withoutLoopbackPort(each) === withoutLoopbackPort(redirectUri))
}

function withoutLoopbackPort(uri: string): string {
  return uri.replace(LOOPBACK, '$1')
}
