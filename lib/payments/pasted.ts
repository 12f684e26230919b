import { bech32 } from '@scure/base'

const MAX_LNURL_LENGTH = 2_000

/**
 * The address or invoice in a pasted or scanned text: without blanks and invisible characters around it, without line
 * breaks in a code, without a scheme such as `lightning:` in any case, and out of the `lightning` parameter of a
 * `bitcoin:` URI (BIP 21) or of a web address (LUD-01). An LNURL (LUD-01, LUD-17) of a Lightning Address is that address
 * (LUD-16). Any other text is returned as it is, and the reader of it names the problem.
 */
export function payableIn(pasted: string): string {
  const text = withoutBreaks(pasted.replaceAll(/[\u200b-\u200f\u2060\ufeff]/g, '').trim())
  const inUri = lightningOf(text)
  if (inUri !== undefined) return payableIn(inUri)
  const bare = text.replace(/^(?:web\+)?(?:lightning|lnurl|uma):(?:\/\/)?/i, '').trim()
  return addressOfLnurl(bare) ?? (bare === '' ? text : bare)
}

/** A code that an e-mail or a terminal has broken into lines, in one piece. No other text is changed. */
function withoutBreaks(text: string): string {
  return /^(?:\w+:)?(?:ln|uma1)\w*\s[\w\s]*$/i.test(text) ? text.replaceAll(/\s+/g, '') : text
}

/** Whether a text is a `bitcoin:` URI without a Lightning invoice. */
export function isOnChainOnly(pasted: string): boolean {
  return /^bitcoin:/i.test(pasted.trim()) && lightningOf(pasted.trim()) === undefined
}

/** The `lightning` parameter of a BIP 21 URI or of a web address. The names of parameters have no case in a URI that a QR code carries. */
function lightningOf(text: string): string | undefined {
  const [, query] = /^(?:bitcoin|https?):[^?#]*\?([^#]*)/i.exec(text) ?? []
  if (query === undefined) return undefined
  const found = [...new URLSearchParams(query)].find(
    ([name, value]) => name.toLowerCase() === 'lightning' && value !== '',
  )
  return found?.[1]
}

/** The Lightning Address whose lookup URL an LNURL contains; undefined for any other text. */
function addressOfLnurl(text: string): string | undefined {
  const url = urlOfLnurl(text)
  if (url === undefined || url.username !== '' || url.password !== '' || url.search !== '') return undefined
  const [, name] = /^\/\.well-known\/lnurlp\/([a-z0-9._+-]+)$/i.exec(url.pathname) ?? []
  return name === undefined ? undefined : `${name}@${url.host}`
}

function urlOfLnurl(text: string): URL | undefined {
  const address = /^lnurlp:\/\//i.test(text) ? text.replace(/^lnurlp:/i, 'https:') : decodedLnurl(text)
  return address !== undefined && URL.canParse(address) ? new URL(address) : undefined
}

function decodedLnurl(text: string): string | undefined {
  if (text.length > MAX_LNURL_LENGTH) return undefined
  const decoded = bech32.decodeUnsafe(text, false)
  const bytes = decoded?.prefix === 'lnurl' ? bech32.fromWordsUnsafe(decoded.words) : undefined
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : undefined
}
