const SECRET_HEADERS = new Set(['authorization', 'cookie', 'set-cookie', 'proxy-authorization'])
/**
 * The header of a JWT is a JSON object: in base64url it begins with `ey`. Each run of token characters is searched once, and
 * only if a second part and a dot follow it. Without this condition, every `ey` of `ey-ey-ey-…` would begin a search to the end
 * of the text.
 */
const JWT = /(?<![\w-])(?=[\w-]+\.[\w-]{8,}\.)([\w-]*?)\b(ey[\w-]{8,}\.[\w-]+\.[\w-]*)/g
const SECRET_FIELDS = /("(?:preimage|password|secret|token)"\s*:\s*")[^"<][^"]{3,}/gi
/** The preimage of a keysend as a record. Its members may have either order. */
const PREIMAGE_RECORDS = [
  /("type"\s*:\s*"?5482373484"?\s*,\s*"value"\s*:\s*")[^"]+/gi,
  /("value"\s*:\s*")[^"]+(?="\s*,\s*"type"\s*:\s*"?5482373484\b)/gi,
]
const SECRET_PARAMETERS = /([?&]token=)[^&\s"'<>]+/g
const MAX_TEXT_LENGTH = 2_000

/** Replaces tokens and preimages in a text, and shortens it. `hidden` lists further texts to replace, such as passwords. */
export function maskText(text: string, hidden: readonly string[]): string {
  let masked = text
    .replaceAll(JWT, (_, before: string, token: string) => `${before}<token of ${token.length} characters>`)
    .replaceAll(SECRET_FIELDS, '$1<hidden>')
    .replaceAll(SECRET_PARAMETERS, '$1<hidden>')
  for (const record of PREIMAGE_RECORDS) masked = masked.replaceAll(record, '$1<hidden>')
  for (const secret of hidden.filter(({ length }) => length >= 3))
    for (const written of [secret, encodeURIComponent(secret), asFormValue(secret)])
      masked = masked.replaceAll(written, '<hidden>')
  return masked.length <= MAX_TEXT_LENGTH ? masked : `${masked.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)`
}

function asFormValue(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** A header line: the values of credentials are replaced; their kind and length stay. */
export function maskHeader(name: string, value: string, hidden: readonly string[]): string {
  if (!SECRET_HEADERS.has(name.toLowerCase())) return `${name}: ${maskText(value, hidden)}`
  const scheme = /^(Bearer|Basic|bearer) /.exec(value)?.[0] ?? ''
  return `${name}: ${scheme}<${value.length - scheme.length} characters>`
}
