const TOKEN_LIKE = /eyJ[A-Za-z0-9_-]{10,}(\.[A-Za-z0-9_-]*){0,4}/g
/** A word up to its last `@`. In it, every password is followed by an `@`. */
const BEFORE_LAST_AT = /(?<!\S)\S+(?=@)/g
const PASSWORD_IN_URL = /(\/\/[^:/?#\s]+:)[^@\s]+/g
const NWC_SECRET = /([?&]secret=)[0-9a-f]{64}/gi

/** Removes tokens, URL passwords and NWC secrets from text that quotes a request. */
export function withoutSecrets(text: string): string {
  return text
    .replace(TOKEN_LIKE, '[redacted]')
    .replace(BEFORE_LAST_AT, (part) => part.replace(PASSWORD_IN_URL, '$1[redacted]'))
    .replace(NWC_SECRET, '$1[redacted]')
}
