import type * as z from 'zod'
import { invalidInput } from './errors.ts'
import { withoutUnset, type ApiRequest } from './request.ts'
import { IdempotencyKey } from './schemas.ts'

// The parts of a request as the schemas have them. Each function throws the refusal that names the field.

export function readIdempotencyKey(request: ApiRequest): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key !== null && !IdempotencyKey.safeParse(key).success)
    throw invalidInput('Idempotency-Key must be 1 to 200 printable characters without spaces.')
  return key ?? undefined
}

export function readQuery(schema: z.ZodType, query: string): unknown {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (values.has(name)) throw invalidInput(`${name.slice(0, 40)} is given more than once.`)
    values.set(name, value)
  }
  return parse(schema, withoutUnset(Object.fromEntries(values)))
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidInput('The request body is not JSON.', error)
  }
}

/** For a field whose schema has no message. */
const INVALID = 'is missing or not valid.'

export function parse(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value, { error: () => INVALID })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalidInput(`${issue?.path.join('.') || 'The request'} ${issue?.message ?? INVALID}`)
}

/**
 * The address in a path segment that was already decoded once. The public gateway encodes it twice; no valid address
 * has a percent sign, so decoding again does not change a valid one.
 */
export function decodedAgain(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
