import { bech32 } from '@scure/base'
import { signerOf } from '../platform/secp256k1'

const PAYEE = 19
const FALLBACK = 9
const ROUTE = 3
const EXPIRY = 6
const KEY_WORDS = 53
/** Bytes of one hop of a route. */
const HOP_BYTES = 51
/** A field code without a meaning, which readers skip. */
const UNKNOWN = 2
const TIMESTAMP_WORDS = 7
const SIGNATURE_WORDS = 104
/** Words of an address by its version: hashes of 20 bytes, or of 32 for scripts and Taproot. */
const ADDRESS_WORDS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [32, 52]],
  [1, [52]],
  [17, [32]],
  [18, [32]],
])

/** An invoice that `bolt11` can read, and its signer if this text differs from the signed one. */
export interface Readable {
  readonly text: string
  readonly signer: string | undefined
  /** The first expiry, in seconds. It may be longer than any date. */
  readonly expirySeconds: bigint | undefined
}

/**
 * Prepares an invoice for `bolt11`, which fails on fields of a wrong length. BOLT 11 (Tagged Fields) says to skip them, so
 * fallback addresses, routes and payees (`n`) of a wrong length get a field code without a meaning. If there is such a
 * field, the valid `n` fields get that code too: `bolt11` would compare the first one with the signer of the changed text.
 * @throws Error for a wrong checksum, or an `n` field that names a key other than the signer's.
 */
export function withoutOddFields(invoice: string): Readable {
  const { prefix, words } = bech32.decode(invoice as `${string}1${string}`, false)
  const fields = fieldsOf(words)
  const payees = fields.filter(({ code }) => code === PAYEE)
  const odd = fields.filter(isOdd)
  const expiry = fields.find(({ code }) => code === EXPIRY)
  const expirySeconds = expiry?.content.reduce((sum, word) => sum * 32n + BigInt(word), 0n)
  if (odd.length === 0) return { text: invoice, signer: undefined, expirySeconds }
  const signed = Buffer.concat([Buffer.from(prefix), toBytes(words.slice(0, -SIGNATURE_WORDS))])
  const signer = Buffer.from(signerOf(signed, toBytes(words.slice(-SIGNATURE_WORDS)))).toString('hex')
  const named = payees.find(({ content }) => content.length === KEY_WORDS)
  if (named !== undefined && toBytes(named.content).subarray(0, 33).toString('hex') !== signer)
    throw new Error('the payee is not the signer')
  const hidden = [...words]
  for (const { at } of [...odd, ...payees]) hidden[at] = UNKNOWN
  return { text: bech32.encode(prefix, hidden, false), signer, expirySeconds }
}

/** Whether a valid invoice describes the last part of a route to its payee, for channels that are not public. */
export function hasRouteHints(invoice: string): boolean {
  return fieldsOf(bech32.decode(invoice as `${string}1${string}`, false).words).some(({ code }) => code === ROUTE)
}

function isOdd({ code, content }: Field): boolean {
  if (code === PAYEE) return content.length !== KEY_WORDS
  if (code === ROUTE) return Math.floor((content.length * 5) / 8) % HOP_BYTES !== 0
  if (code !== FALLBACK) return false
  const [version = -1, ...address] = content
  return ADDRESS_WORDS.get(version)?.includes(address.length) !== true
}

interface Field {
  readonly at: number
  readonly code: number
  readonly content: readonly number[]
}

function fieldsOf(words: readonly number[]): Field[] {
  const fields: Field[] = []
  const end = words.length - SIGNATURE_WORDS
  for (let at = TIMESTAMP_WORDS; at < end;) {
    const [code = 0, high = 0, low = 0] = words.slice(at, at + 3)
    const next = at + 3 + high * 32 + low
    fields.push({ at, code, content: words.slice(at + 3, Math.min(next, end)) })
    at = next
  }
  return fields
}

/** Packs five-bit words into bytes; the last byte is padded with zeros. */
function toBytes(words: readonly number[]): Buffer {
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((eight) => Number.parseInt(eight.padEnd(8, '0'), 2)))
}
