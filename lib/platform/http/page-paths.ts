/** Forms of our own pages, each with a route that takes POST and nothing else. */
const FORMS: ReadonlySet<string> = new Set([
  '/-/audit',
  '/-/payments',
  '/connections/rename',
  '/connections/revoke',
  '/connections/revoke-today',
  '/logout',
  '/requests/decline',
  '/theme',
  '/wallets/convert',
  '/wallets/faucet',
  '/wallets/receive/make',
  '/wallets/receive/uma',
  '/wallets/send/confirm',
  '/wallets/send/pay',
  '/wallets/send/quote',
  '/wallets/send/uma',
])

/** The methods of a path outside the API. Next would run a page for any of them. */
export function methodsOf(path: string): readonly string[] {
  if (FORMS.has(path)) return ['POST']
  // HEAD would mint a token that nobody gets.
  if (path === '/connect') return ['GET']
  // The route behind it tells which of its addresses takes which.
  if (path.startsWith('/api/auth/')) return ['GET', 'HEAD', 'POST']
  return ['GET', 'HEAD']
}

const SEGMENT = /^[\w.~@$()[\]-]+$/

/**
 * Whether a path is spelled as our pages are: no escapes, no dots to resolve, no doubled or trailing slash. Next answers
 * other spellings of a page as well, but with other headers. Its own inner pages, below `/_`, are nobody's business.
 */
export function isPagePath(path: string): boolean {
  if (path === '/') return true
  const segments = path.slice(1).split('/')
  if (!segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..')) return false
  return !path.startsWith('/_') || path.startsWith('/_next/static/')
}
