import { z } from 'zod'

/**
 * A member that another VASP may leave out of a message. SDKs in other languages write null or an empty text for it, so
 * both count as absent.
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())
}
