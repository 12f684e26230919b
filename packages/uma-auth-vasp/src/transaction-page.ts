import type { TransactionReply } from './schemas.ts'

/**
 * The largest body of `GET /transactions`. The public gateway serializes it again as ASCII-escaped JSON, with a space after each
 * comma and colon, and encrypts it with NIP-44. From 40,961 bytes on, the encrypted message exceeds 64 kB. Relays refuse such a
 * message, and the refusal ends the gateway's process.
 */
export const MAX_PAGE_CHARACTERS = 36_000

const EMPTY_PAGE = '{"transactions": []}'.length
const SEPARATOR = ', '.length
const ELLIPSIS = '…'

/**
 * The first entries that fit into one page, and at least one: an entry that is too large by itself gets a shorter description.
 * The caller continues at its offset plus the number of entries received.
 */
export function fitPage(entries: readonly TransactionReply[]): TransactionReply[] {
  const [first, ...others] = entries
  if (first === undefined) return []
  let room = MAX_PAGE_CHARACTERS - EMPTY_PAGE - lengthOf(first)
  if (room < 0) return [withShorterDescription(first, -room)]
  const page = [first]
  for (const entry of others) {
    room -= SEPARATOR + lengthOf(entry)
    if (room < 0) break
    page.push(entry)
  }
  return page
}

function withShorterDescription(entry: TransactionReply, excess: number): TransactionReply {
  const description = entry.description ?? ''
  const room = lengthOfText(description) - excess - lengthOfText(ELLIPSIS)
  let [end, length] = [0, 0]
  for (const character of description) {
    length += lengthOfText(character)
    if (length > room) break
    end += character.length
  }
  return { ...entry, description: `${description.slice(0, end)}${ELLIPSIS}` }
}

/** Characters of a JSON value as Python's `json.dumps` writes it. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return lengthOfText(value) + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  const isArray = Array.isArray(value)
  let length = 0
  for (const [name, field] of Object.entries(value))
    length += SEPARATOR + lengthOf(field) + (isArray ? 0 : lengthOfText(name) + '"": '.length)
  return Math.max(0, length - SEPARATOR) + 2
}

const PLAIN = /^[ !#-[\]-~]*$/
const SHORT_ESCAPES = '"\\\b\f\n\r\t'

/** Length without the quotes. A character beyond ASCII takes six characters, one beyond the basic plane twelve. */
function lengthOfText(text: string): number {
  if (PLAIN.test(text)) return text.length
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charAt(index)
    length += PLAIN.test(unit) ? 1 : SHORT_ESCAPES.includes(unit) ? 2 : '\\u0000'.length
  }
  return length
}
