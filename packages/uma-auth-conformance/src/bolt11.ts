/** The parts of a BOLT-11 invoice that the cases compare. The signature is not checked. */
export interface Bolt11 {
  readonly network: string
  /** Undefined for an invoice without an amount. */
  readonly amountMsats: bigint | undefined
  readonly createdAtSeconds: number
  readonly expirySeconds: number
  readonly paymentHash: string | undefined
  readonly description: string | undefined
  readonly descriptionHash: string | undefined
}

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** Millisatoshis per bitcoin, and the divisors of the multipliers. */
const BITCOIN_MSATS = 100_000_000_000n
const DIVISORS = {
  m: 1_000n,
  u: 1_000_000n,
  n: 1_000_000_000n,
  p: 1_000_000_000_000n,
} as const
const CHECKSUM_WORDS = 6
const SIGNATURE_WORDS = 104
const TIMESTAMP_WORDS = 7
const DEFAULT_EXPIRY_SECONDS = 3_600

function divisorOf(multiplier: string): bigint {
  return multiplier in DIVISORS ? DIVISORS[multiplier as keyof typeof DIVISORS] : 1n
}

/** Reads an invoice; undefined for any other text. */
export function readBolt11(text: string): Bolt11 | undefined {
  const lower = text.toLowerCase()
  const separator = lower.lastIndexOf('1')
  const prefix = lower.slice(0, separator)
  const words = Array.from(lower.slice(separator + 1), (letter) => ALPHABET.indexOf(letter))
  const amount = /^ln([a-z]+?)(?:(\d{1,18})([munp]?))?$/.exec(prefix)
  if (amount === null || words.includes(-1) || words.length < CHECKSUM_WORDS + SIGNATURE_WORDS + TIMESTAMP_WORDS)
    return undefined
  if (checksumOf(prefix, words) !== 1) return undefined
  const data = words.slice(0, -CHECKSUM_WORDS - SIGNATURE_WORDS)
  const fields = readFields(data.slice(TIMESTAMP_WORDS))
  const [, network = '', digits, multiplier = ''] = amount
  const expiry = fields.get('x')
  const textOf = (letter: string): string | undefined => {
    const field = fields.get(letter)
    return field === undefined ? undefined : toBytes(field).toString('utf8')
  }
  const hexOf = (letter: string): string | undefined => {
    const field = fields.get(letter)
    return field === undefined ? undefined : toBytes(field).toString('hex')
  }
  return {
    network,
    amountMsats: digits === undefined ? undefined : (BigInt(digits) * BITCOIN_MSATS) / divisorOf(multiplier),
    createdAtSeconds: toNumber(data.slice(0, TIMESTAMP_WORDS)),
    expirySeconds: expiry === undefined ? DEFAULT_EXPIRY_SECONDS : toNumber(expiry),
    paymentHash: hexOf('p'),
    description: textOf('d'),
    descriptionHash: hexOf('h'),
  }
}

/** Tagged fields by their letter; the first field of each letter counts. */
function readFields(words: readonly number[]): Map<string, readonly number[]> {
  const fields = new Map<string, readonly number[]>()
  for (let start = 0; start + 3 <= words.length;) {
    const [tag = 0, high = 0, low = 0] = words.slice(start, start + 3)
    const end = start + 3 + high * 32 + low
    const letter = ALPHABET[tag] ?? ''
    if (!fields.has(letter)) fields.set(letter, words.slice(start + 3, end))
    start = end
  }
  return fields
}

function toNumber(words: readonly number[]): number {
  return words.reduce((sum, word) => sum * 32 + word, 0)
}

/** Words of five bits to whole bytes; the padding is dropped. */
function toBytes(words: readonly number[]): Buffer {
  const bytes: number[] = []
  let [bits, count] = [0, 0]
  for (const word of words) {
    bits = ((bits << 5) | word) & 0xfff
    count += 5
    if (count >= 8) {
      count -= 8
      bytes.push((bits >> count) & 0xff)
    }
  }
  return Buffer.from(bytes)
}

/**
 * The same invoice with another amount and a new checksum. Its payment hash stays; its signature belongs to another node then.
 * Undefined for a text that is not an invoice.
 */
export function withAmount(text: string, amountMsats: number): string | undefined {
  const read = readBolt11(text)
  if (read === undefined) return undefined
  const prefix = `ln${read.network}${(BigInt(amountMsats) * DIVISORS.p) / BITCOIN_MSATS}p`
  const lower = text.toLowerCase()
  const data = Array.from(lower.slice(lower.lastIndexOf('1') + 1, -CHECKSUM_WORDS), (letter) =>
    ALPHABET.indexOf(letter),
  )
  const rest = checksumOf(prefix, [...data, 0, 0, 0, 0, 0, 0]) ^ 1
  const checksum = Array.from({ length: CHECKSUM_WORDS }, (_, index) => (rest >>> (5 * (5 - index))) & 31)
  return `${prefix}1${[...data, ...checksum].map((word) => ALPHABET[word]).join('')}`
}

/** 1 for words that end with a right checksum. */
function checksumOf(prefix: string, words: readonly number[]): number {
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0))
  let checksum = 1
  for (const value of [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...words]) {
    const top = checksum >>> 25
    checksum = ((checksum & 0x1ffffff) << 5) ^ value
    for (const [bit, term] of GENERATOR.entries()) if ((top >>> bit) & 1) checksum ^= term
  }
  return checksum >>> 0
}
