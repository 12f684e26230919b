import { MAX_BODY_BYTES } from '../platform/http/read-body'
import type { EventDetail, StoredDetail } from './types'

/** Maximum length of a stored body, and of all stored facts together, in characters. */
export const MAX_BODY_LENGTH = 8_000
/** A longer body is not parsed. All bodies that this server reads are shorter, and so are the replies of its API. */
const MAX_PARSED_LENGTH = MAX_BODY_BYTES
const MAX_DEPTH = 8
const MASKED = '[masked]'

/** Field names without separators, in lower case: secrets, and personal data of the payer and the payee. */
const SECRET_FIELD =
  /preimage|token|secret|password|authorization|cookie|privatekey|signingkey|mnemonic|payerdata|payeedata|travelrule|encrypted|compliance|kyc|macaroon|signature|identifier|email|^(?:name|payerid)$/
/** The record in which a keysend carries its preimage, which the gateway may send beside or instead of the field of that name. */
const PREIMAGE_RECORD = 5_482_373_484
/** Public although the name contains a word of `SECRET_FIELD`. */
const PUBLIC_FIELD = /^(?:tokentype|tokenendpoint)$/
/**
 * A JSON Web Token, whatever its field is called. Each run of token characters is searched once, and only if a second part
 * follows it. Without this condition, every `ey` of `ey-ey-ey-…` would begin a search to the end of the text.
 */
const JSON_WEB_TOKEN = /(?<![\w-])(?=[\w-]+\.[\w-]{5})([\w-]*?)\bey[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g
/** What may be the first part of a token at the end of a text that was cut. */
const CUT_TOKEN = /(?<![\w.-])(?=[\w.-]*$)([\w.-]*?)\bey[\w.-]*$/
const BEARER = /\bBearer\s+\S+/gi
/** The length of "Bearer", a space and one character. */
const MIN_SECRET_LENGTH = 8

/**
 * Removes secrets and personal data, and cuts long bodies. Only the length of a body that is not JSON is stored, because
 * its fields cannot be recognized.
 */
export function maskDetail({ request, response, facts, travelRule }: EventDetail): StoredDetail {
  return {
    ...(request === undefined || request === '' ? {} : { request: maskBody(request) }),
    ...(response === undefined || response === '' ? {} : { response: maskBody(response) }),
    ...(facts === undefined
      ? {}
      : { facts: maskValue(facts, 0, { left: MAX_BODY_LENGTH }) as Readonly<Record<string, unknown>> }),
    ...(travelRule === undefined
      ? {}
      : { travelRule: { format: maskText(travelRule.format, 50), text: cutText(travelRule.text) } }),
  }
}

/** A JSON body without secrets, at most `MAX_BODY_LENGTH` characters long. */
export function maskBody(text: string): string {
  if (text.length > MAX_PARSED_LENGTH) return `[not stored, ${text.length} characters]`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `[not JSON, ${text.length} characters]`
  }
  const room = { left: MAX_BODY_LENGTH }
  const masked = JSON.stringify(maskValue(value, 0, room))
  if (room.left >= 0 && masked.length <= MAX_BODY_LENGTH) return masked
  const note = ` [${text.length} characters in all]`
  return storable(masked.slice(0, MAX_BODY_LENGTH - note.length)) + note
}

/** A text without tokens, whose end says if it was cut. */
function cutText(text: string): string {
  const note = text.length > MAX_BODY_LENGTH ? ` [${text.length} characters in all]` : ''
  return maskText(text, MAX_BODY_LENGTH - note.length) + note
}

/** The first `maxLength` characters of a text, without tokens. Text that is not stored is not searched. */
export function maskText(text: string, maxLength: number): string {
  const kept = text.slice(0, maxLength)
  if (text.length < MIN_SECRET_LENGTH) return storable(kept)
  const masked = withoutTokens(kept, kept.length < text.length).replace(BEARER, `Bearer ${MASKED}`)
  return storable(masked.slice(0, maxLength))
}

function withoutTokens(text: string, isCut: boolean): string {
  // Nearly every text has no token, and this test is cheap.
  if (!text.includes('ey')) return text
  const masked = text.replace(JSON_WEB_TOKEN, `$1${MASKED}`)
  return isCut ? masked.replace(CUT_TOKEN, `$1${MASKED}`) : masked
}

/** PostgreSQL stores neither NUL characters nor unpaired surrogates. */
export function storable(text: string): string {
  // Nearly every text is stored unchanged, and this test is cheap.
  return /[\0\uD800-\uDFFF]/.test(text) ? text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFD') : text
}

/** The characters that may still be stored. Negative: something was left out. */
interface Room {
  left: number
}

/** Stops when the room is used up, so that a body costs as much as the part of it that is stored. */
function maskValue(value: unknown, depth: number, room: Room): unknown {
  if (typeof value === 'string') return maskInto(room, value)
  room.left -= 1
  if (typeof value === 'bigint') return value.toString()
  // JSON.parse reads 1e400 as infinity, which JSON.stringify would write as null: a different request.
  if (typeof value === 'number' && !Number.isFinite(value)) return '[not a number]'
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[nested too deeply]'
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const each of value) {
      if (room.left < 0) break
      items.push(maskValue(each, depth + 1, room))
    }
    return items
  }
  const members = Object.entries(value)
  const holdsPreimage = members.some(([field, each]) => isRecordType(field) && isPreimageRecord(each))
  const fields: [string, unknown][] = []
  for (const [field, each] of members) {
    if (room.left < 0) break
    const isMasked = (isSecret(field) || (holdsPreimage && !isRecordType(field))) && each !== null
    fields.push([maskInto(room, field), isMasked ? MASKED : maskValue(each, depth + 1, room)])
  }
  return Object.fromEntries(fields)
}

function maskInto(room: Room, text: string): string {
  const masked = maskText(text, Math.max(0, room.left))
  room.left = text.length > room.left ? -1 : room.left - masked.length - 1
  return masked
}

function isRecordType(field: string): boolean {
  return field.toLowerCase() === 'type'
}

/** The type is a number in a valid record. A wrong one may write it in another way. */
function isPreimageRecord(type: unknown): boolean {
  return (typeof type === 'number' || typeof type === 'string') && Number(type) === PREIMAGE_RECORD
}

function isSecret(field: string): boolean {
  const name = field.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return SECRET_FIELD.test(name) && !PUBLIC_FIELD.test(name)
}
