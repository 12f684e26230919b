import { z } from 'zod'
import { badInput } from '../errors'
import type { ApiRequest } from './message'

const LONGEST_KEY = 200
const Key = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(LONGEST_KEY)

/** For the routes that take one: as the OpenAPI document tells of it. */
export const IdempotencyHeaders = z.object({
  'Idempotency-Key': Key.optional().meta({
    description:
      'The same request again under the same key of the same connection is the same payment; another one under it is refused with 400.',
  }),
})

/** The `Idempotency-Key` of a request: a repetition under the same key is the same payment. Null where there is none. */
export function readIdempotencyKey(request: ApiRequest): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (!Key.safeParse(key).success)
    throw badInput(`Idempotency-Key is 1 to ${LONGEST_KEY} printable characters without blanks.`)
  return key
}
