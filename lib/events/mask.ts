import type { EventDetail, StoredDetail } from './types'

/** Maximum length of a stored body, in characters. */
export const MAX_BODY_LENGTH = 8_000
const MAX_DEPTH = 8
const MASKED = '[masked]'

/** Field names without separators, in lower case: secrets, and personal data of the payer and the payee. */
const SECRET_FIELD =
  /preimage|token|secret|password|authorization|cookie|privatekey|signingkey|mnemonic|payerdata|payeedata|travelrule|encrypted|compliance|kyc|macaroon|signature|identifier|email|^(?:name|payerid)$/
/** Public although the name contains a word of `SECRET_FIELD`. */
const PUBLIC_FIELD = /^(?:tokentype|tokenendpoint)$/
/** A JSON Web Token, whatever its field is called. */
const JSON_WEB_TOKEN = /\bey[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?/g
const BEARER = /\bBearer\s+\S+/gi
/** The length of "Bearer", a space and one character. */
const MIN_SECRET_LENGTH = 8

/**
 * Removes secrets and personal data, and cuts long bodies. Only the length of a body that is not JSON is stored, because
 * its fields cannot be recognized.
 */
export function maskDetail({ request, response, facts }: EventDetail): StoredDetail {
  return {
    ...(request === undefined || request === '' ? {} : { request: maskBody(request) }),
    ...(response === undefined || response === '' ? {} : { response: maskBody(response) }),
    ...(facts === undefined ? {} : { facts: maskValue(facts, 0) as Readonly<Record<string, unknown>> }),
  }
}

/** A JSON body without secrets, at most `MAX_BODY_LENGTH` characters long. */
export function maskBody(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `[not JSON, ${text.length} characters]`
  }
  const masked = JSON.stringify(maskValue(value, 0))
  if (masked.length <= MAX_BODY_LENGTH) return masked
  const note = ` [${masked.length} characters in all]`
  return storable(masked.slice(0, MAX_BODY_LENGTH - note.length)) + note
}

/** Text without tokens. */
export function maskText(text: string): string {
  if (text.length < MIN_SECRET_LENGTH) return storable(text)
  return storable(text.replace(JSON_WEB_TOKEN, MASKED).replace(BEARER, `Bearer ${MASKED}`))
}

/** PostgreSQL stores neither NUL characters nor unpaired surrogates. */
export function storable(text: string): string {
  // Nearly every text is stored unchanged, and this test is cheap.
  return /[\0\uD800-\uDFFF]/.test(text) ? text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFD') : text
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value === 'bigint') return value.toString()
  // JSON.parse reads 1e400 as infinity, which JSON.stringify would write as null: a different request.
  if (typeof value === 'number' && !Number.isFinite(value)) return '[not a number]'
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[nested too deeply]'
  if (Array.isArray(value)) return value.map((each) => maskValue(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [
      maskText(field),
      isSecret(field) && each !== null ? MASKED : maskValue(each, depth + 1),
    ]),
  )
}

function isSecret(field: string): boolean {
  const name = field.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return SECRET_FIELD.test(name) && !PUBLIC_FIELD.test(name)
}
