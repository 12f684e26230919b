import { badInput } from '../errors'
import type { ApiRequest } from './message'

const LONGEST_KEY = 200

/** The `Idempotency-Key` of a request: a repetition under the same key is the same payment. Null where there is none. */
export function readIdempotencyKey(request: ApiRequest): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > LONGEST_KEY)
    throw badInput(`Idempotency-Key is 1 to ${LONGEST_KEY} printable characters without blanks.`)
  return key
}
