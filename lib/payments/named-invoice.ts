const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
/** Letters of five bits: the time an invoice was made, and what ends it, its signature (104) and its checksum (6). */
const TIME_LETTERS = 7
const END_LETTERS = 110
/** The field that names the payment hash, and how long it is (BOLT 11, Tagged Fields). */
const HASH_FIELD = 1
const HASH_LETTERS = 52
const LONGEST = 2_000

/** An invoice's text with the payment hash that it names. */
export interface NamedInvoice {
  readonly invoice: string
  readonly paymentHash: string
}

/**
 * Finds the payment hash in an invoice without looking whether the invoice is good: enough to ask whether it is one that we
 * made ourselves, letter for letter, and then everything is known of it. Decoding checks the signature, which takes longer
 * than the question. Undefined for any other spelling than the one we make, and for what is not an invoice.
 */
export function nameInvoice(text: string): NamedInvoice | undefined {
  if (text.length > LONGEST || !/^lnbcrt[0-9a-z]+$/.test(text)) return undefined
  const end = text.length - END_LETTERS
  let at = text.lastIndexOf('1') + 1 + TIME_LETTERS
  while (at + 3 <= end) {
    const [field, high, low] = [valueAt(text, at), valueAt(text, at + 1), valueAt(text, at + 2)]
    // Counted as −1, such a letter would lead back, and round and round.
    if (field < 0 || high < 0 || low < 0) return undefined
    const length = high * 32 + low
    at += 3
    if (field === HASH_FIELD && length === HASH_LETTERS && at + length <= end) {
      const paymentHash = hexOf(text.slice(at, at + HASH_LETTERS))
      return paymentHash === undefined ? undefined : { invoice: text, paymentHash }
    }
    at += length
  }
  return undefined
}

function valueAt(text: string, at: number): number {
  return LETTERS.indexOf(text[at] ?? '')
}

/** 52 letters are 260 bits: the hash's 256 and four of nothing. */
function hexOf(letters: string): string | undefined {
  let bits = 0n
  for (const letter of letters) {
    const value = LETTERS.indexOf(letter)
    if (value < 0) return undefined
    bits = (bits << 5n) | BigInt(value)
  }
  return (bits >> 4n).toString(16).padStart(64, '0')
}
