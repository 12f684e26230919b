/** One field of a UMA invoice (UMAD-09): a type byte, a length byte, and the value. */
export interface Field {
  readonly tag: number
  readonly value: Buffer
}

export const MAX_FIELD_BYTES = 255

/** @throws RangeError for a field over 255 bytes, whose length would not fit in one byte. */
export function writeFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(({ tag, value }) => {
      if (value.length > MAX_FIELD_BYTES) throw new RangeError(`field ${tag} is longer than ${MAX_FIELD_BYTES} bytes`)
      return [Buffer.from([tag, value.length]), value]
    }),
  )
}

/** The fields in their order; undefined when a length exceeds the remaining bytes. */
export function readFields(bytes: Buffer): Field[] | undefined {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length;) {
    const [tag, length] = [bytes[at], bytes[at + 1]]
    if (tag === undefined || length === undefined || at + 2 + length > bytes.length) return undefined
    fields.push({ tag, value: bytes.subarray(at + 2, at + 2 + length) })
    at += 2 + length
  }
  return fields
}

/**
 * A non-negative number with a sign bit, in 1, 2, 4 or 8 bytes: as few as possible, as in the Python and JavaScript
 * SDKs.
 */
export function writeNumber(value: bigint): Buffer {
  const size = [1, 2, 4, 8].find((bytes) => value < 1n << BigInt(bytes * 8 - 1))
  if (value < 0n || size === undefined) throw new RangeError('not a number of at most eight bytes')
  return Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex')
}

/** How an invoice writes its integers: the Go SDK writes decimal digits, the other SDKs binary integers. */
export type NumberEncoding = 'binary' | 'decimal'

/** A non-negative number; undefined for anything else. */
export function readNumber(bytes: Buffer, encoding: NumberEncoding): bigint | undefined {
  if (encoding === 'decimal') {
    const digits = bytes.toString('latin1')
    return /^\d{1,19}$/.test(digits) ? BigInt(digits) : undefined
  }
  if (![1, 2, 4, 8].includes(bytes.length) || (bytes[0] ?? 0) >= 0x80) return undefined
  return BigInt(`0x${bytes.toString('hex')}`)
}
