const NAMES = 'access_token|refresh_token|nwc_connection_uri|code_verifier|secret|token'
const IN_JSON = new RegExp(`("(?:${NAMES})"\\s*:\\s*")([^"]*)"` as const, 'g')
/** `code` and `state` are secrets only in OAuth forms: in JSON they name an error, a currency or a status. */
const IN_FORMS = new RegExp(`((?:^|[?&\\s])(?:${NAMES}|code|state)=)([^&\\s]+)` as const, 'gm')
const PAIRING_URI = /nostr\+walletconnect:[^\s"]+/gi

/** Shortens secrets to their first six characters: tokens, codes and keys. */
export function redact(text: string): string {
  return text
    .replaceAll(PAIRING_URI, (uri) => `${uri.slice(0, 30)}…(cut)`)
    .replaceAll(IN_JSON, (_, name: string, value: string) => `${name}${cut(value)}"`)
    .replaceAll(IN_FORMS, (_, name: string, value: string) => `${name}${cut(value)}`)
}

/** Headers whose values are secrets. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie'])

/** The headers of a request or a response, one a line. Of a secret one, its scheme stays, such as `Bearer`. */
export function headersText(headers: Headers): string {
  const shown = (name: string, value: string): string =>
    SECRET_HEADERS.has(name)
      ? value.replace(/^(\w+ )?(.*)$/, (_, scheme = '', secret) => `${scheme}${cut(secret)}`)
      : value
  return [...headers].map(([name, value]) => `${name}: ${shown(name, value)}\n`).join('')
}

/** A secret, shortened to its first six characters. */
export function cut(value: string): string {
  if (value.endsWith('…(cut)')) return value
  return value.length <= 6 ? '…(cut)' : `${value.slice(0, 6)}…(cut)`
}
