export const INT8_OID = 20
export const INT8_ARRAY_OID = 1016

/** An int8 as the server writes it. A number would round above 2^53 without a word. */
export function decodeInt8(text: string): bigint {
  return BigInt(text)
}

/** A one-dimensional int8[] as the server writes it: `{1,-2,NULL}`. */
export function decodeInt8Array(text: string): (bigint | null)[] {
  if (text === '{}') return []
  return text
    .slice(1, -1)
    .split(',')
    .map((element) => (element === 'NULL' ? null : BigInt(element)))
}
