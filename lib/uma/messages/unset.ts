import { z } from 'zod'

/**
 * A member that another VASP may leave out of a message. SDKs in other languages write null, an empty text or an empty
 * object for it, so these count as absent. Zero, `false` and an empty list are values.
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (isUnset(value) ? undefined : value), schema.optional())
}

/** Whether a member is one of the spellings of an absent one. */
export function isUnset(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}
