import { MAX_BODY_BYTES } from '../platform/http/read-body'
import type { Body, EventDetail, StoredDetail } from './types'

/** Maximum length of a stored body, and of all stored facts together, in characters. */
export const MAX_BODY_LENGTH = 8_000
/** A longer body is not parsed. All bodies that this server reads are shorter, and so are the replies of its API. */
const MAX_PARSED_LENGTH = MAX_BODY_BYTES
const MAX_DEPTH = 8
/** Of a list in an answer of this server, such as the transactions of a page. */
const MAX_STORED_OBJECTS = 5
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
const SPACE = /\s/
/** The length of "Bearer", a space and one character. */
const MIN_SECRET_LENGTH = 8
/** Calls use few names again and again. Names that clients invent push these out, and are then only slower. */
const MAX_KNOWN_FIELDS = 1_000
const MAX_KNOWN_FIELD_LENGTH = 40

/**
 * Removes secrets and personal data, and cuts long bodies. Only the length of a body that is not JSON is stored, because
 * its fields cannot be recognized.
 */
export function maskDetail({ request, response, facts, travelRule }: EventDetail): StoredDetail {
  return {
    ...(textOf(request) === '' ? {} : { request: maskBody(request ?? '') }),
    ...(textOf(response) === '' ? {} : { response: maskBody(response ?? '') }),
    ...(facts === undefined
      ? {}
      : { facts: maskValue(facts, 0, roomOf(Infinity)) as Readonly<Record<string, unknown>> }),
    ...(travelRule === undefined
      ? {}
      : { travelRule: { format: maskText(travelRule.format, 50), text: cutText(travelRule.text) } }),
  }
}

export function textOf(body: Body = ''): string {
  return typeof body === 'string' ? body : body.text
}

/**
 * A JSON body without secrets, at most `MAX_BODY_LENGTH` characters long. Of an answer of this server, it has the first objects of
 * each list. A request is stored whole where it fits.
 */
export function maskBody(body: Body): string {
  const text = textOf(body)
  if (text.length > MAX_PARSED_LENGTH) return `[not stored, ${text.length} characters]`
  let value: unknown
  try {
    value = typeof body === 'string' ? JSON.parse(body) : body.value
  } catch {
    return `[not JSON, ${text.length} characters]`
  }
  const room = roomOf(typeof body === 'string' ? Infinity : MAX_STORED_OBJECTS)
  const masked = JSON.stringify(maskValue(value, 0, room))
  if (!room.isShort && room.left >= 0 && masked.length <= MAX_BODY_LENGTH) return masked
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
  return storable(withoutBearer(withoutTokens(kept, kept.length < text.length)).slice(0, maxLength))
}

function withoutBearer(text: string): string {
  // Most texts are hex, codes and invoices without a space, and this test is cheap.
  return SPACE.test(text) ? text.replace(BEARER, `Bearer ${MASKED}`) : text
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

interface Room {
  /** The characters that may still be stored. Negative: something was left out. */
  left: number
  /** How many objects of a list are stored. */
  readonly objects: number
  /** A list was longer. */
  isShort: boolean
}

function roomOf(objects: number): Room {
  return { left: MAX_BODY_LENGTH, objects, isShort: false }
}

/** Stops when the room is used up, so that a body costs as much as the part of it that is stored. */
function maskValue(value: unknown, depth: number, room: Room): unknown {
  if (typeof value === 'string') return maskInto(room, value)
  room.left -= 1
  if (typeof value === 'bigint') return value.toString()
  // JSON.parse reads 1e400 as infinity, which JSON.stringify would write as null: a different request.
  if (typeof value === 'number' && !Number.isFinite(value)) return '[not a number]'
  // JSON has no functions, and JSON.stringify would call one that is named `toJSON`.
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[nested too deeply]'
  return Array.isArray(value) ? maskList(value, depth, room) : maskObject(value, depth, room)
}

function maskList(list: readonly unknown[], depth: number, room: Room): unknown[] {
  const items: unknown[] = []
  for (const each of list) {
    if (room.left < 0) break
    if (items.length >= room.objects && typeof each === 'object') {
      room.isShort = true
      break
    }
    items.push(maskValue(each, depth + 1, room))
  }
  return items
}

function maskObject(value: object, depth: number, room: Room): object {
  const members = value as Readonly<Record<string, unknown>>
  const names = Object.keys(members)
  const holdsPreimage = names.some((field) => isRecordType(field) && isPreimageRecord(members[field]))
  const fields: Record<string, unknown> = {}
  for (const field of names) {
    if (room.left < 0) break
    const each = members[field]
    const { isSecret, shown } = fieldOf(field)
    const isPublic = field === 'name' && isCurrency(members)
    const isMasked = ((isSecret && !isPublic) || (holdsPreimage && !isRecordType(field))) && each !== null
    const name = maskName(room, field, shown)
    setField(fields, name, isMasked ? MASKED : maskValue(each, depth + 1, room))
  }
  return fields
}

/** The name of a currency is no person's. */
function isCurrency(members: Readonly<Record<string, unknown>>): boolean {
  return typeof members['code'] === 'string' && typeof members['symbol'] === 'string'
}

/** An assignment to `__proto__` would set no field. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
  else fields[name] = value
}

function maskInto(room: Room, text: string): string {
  const masked = maskText(text, Math.max(0, room.left))
  room.left = text.length > room.left ? -1 : room.left - masked.length - 1
  return masked
}

/** @param shown the whole name without tokens, where it is known. */
function maskName(room: Room, field: string, shown: string | undefined): string {
  if (shown === undefined || field.length > room.left) return maskInto(room, field)
  room.left -= shown.length + 1
  return shown
}

function isRecordType(field: string): boolean {
  return field.length === 'type'.length && field.toLowerCase() === 'type'
}

/** The type is a number in a valid record. A wrong one may write it in another way. */
function isPreimageRecord(type: unknown): boolean {
  return (typeof type === 'number' || typeof type === 'string') && Number(type) === PREIMAGE_RECORD
}

/** What the name of a field decides, whatever its value is. */
interface Field {
  readonly isSecret: boolean
  /** The name without tokens; undefined for a long one. */
  readonly shown: string | undefined
}

const knownFields = new Map<string, Field>()

function fieldOf(field: string): Field {
  const known = knownFields.get(field)
  if (known !== undefined) return known
  const name = field.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const isSecret = SECRET_FIELD.test(name) && !PUBLIC_FIELD.test(name)
  if (field.length > MAX_KNOWN_FIELD_LENGTH) return { isSecret, shown: undefined }
  const found = { isSecret, shown: maskText(field, field.length) }
  if (knownFields.size >= MAX_KNOWN_FIELDS) knownFields.clear()
  knownFields.set(field, found)
  return found
}
