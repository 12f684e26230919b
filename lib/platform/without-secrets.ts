const TOKEN_LIKE = /eyJ[A-Za-z0-9_-]{10,}(\.[A-Za-z0-9_-]*){0,4}/g
const PASSWORD_IN_URL = /(\/\/[^:/?#\s]+:)[^@\s]+@/g
const NWC_SECRET = /([?&]secret=)[0-9a-f]{64}/gi

/** Removes tokens, URL passwords and NWC secrets from text that quotes a request. */
export function withoutSecrets(text: string): string {
  return text
    .replace(TOKEN_LIKE, '[redacted]')
    .replace(PASSWORD_IN_URL, '$1[redacted]@')
    .replace(NWC_SECRET, '$1[redacted]')
}
