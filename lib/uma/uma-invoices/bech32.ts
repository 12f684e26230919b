const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const CHECKSUM_LENGTH = 6

/** Bech32 (BIP 173) without its limit of 90 characters, which UMA invoices do not keep. */
export function encodeBech32(prefix: string, bytes: Buffer): string {
  const words = toWords(bytes)
  const mixed = checksum([...spread(prefix), ...words, ...Array<number>(CHECKSUM_LENGTH).fill(0)]) ^ 1
  const sum = Array.from({ length: CHECKSUM_LENGTH }, (_, place) => (mixed >> (5 * (5 - place))) & 31)
  return `${prefix}1${[...words, ...sum].map((word) => LETTERS[word]).join('')}`
}

/** The bytes behind the prefix; undefined when the checksum does not hold or bits are left over. */
export function decodeBech32(prefix: string, text: string): Buffer | undefined {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return undefined
  const lower = text.toLowerCase()
  if (!lower.startsWith(`${prefix}1`)) return undefined
  const words = lower
    .slice(prefix.length + 1)
    .split('')
    .map((letter) => LETTERS.indexOf(letter))
  if (words.length < CHECKSUM_LENGTH || words.includes(-1)) return undefined
  if (checksum([...spread(prefix), ...words]) !== 1) return undefined
  return fromWords(words.slice(0, -CHECKSUM_LENGTH))
}

function checksum(words: readonly number[]): number {
  let sum = 1
  for (const word of words) {
    const top = sum >> 25
    sum = ((sum & 0x1ffffff) << 5) ^ word
    for (const [bit, factor] of GENERATOR.entries()) if (((top >> bit) & 1) === 1) sum ^= factor
  }
  return sum
}

function spread(prefix: string): number[] {
  const codes = [...Buffer.from(prefix, 'latin1')]
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
}

function toWords(bytes: Buffer): number[] {
  const words: number[] = []
  let [held, count] = [0, 0]
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (count += 8; count >= 5; count -= 5) words.push((held >> (count - 5)) & 31)
    held &= 0xff
  }
  if (count > 0) words.push((held << (5 - count)) & 31)
  return words
}

function fromWords(words: readonly number[]): Buffer | undefined {
  const bytes: number[] = []
  let [held, count] = [0, 0]
  for (const word of words) {
    held = ((held & 0xff) << 5) | word
    count += 5
    if (count < 8) continue
    count -= 8
    bytes.push((held >> count) & 0xff)
  }
  // What fills the last word is less than a word, and zero.
  return count < 5 && (held & ((1 << count) - 1)) === 0 ? Buffer.from(bytes) : undefined
}
