export const INT8_OID = 20
export const INT8_ARRAY_OID = 1016

/** Decodes an int8 from the server's text. A number would round above 2^53. */
export const decodeInt8: (text: string) => bigint = BigInt

/** Decodes a one-dimensional int8[] from the server's text: `{1,-2,NULL}`. */
export function decodeInt8Array(text: string): (bigint | null)[] {
  if (text === '{}') return []
  return text
    .slice(1, -1)
    .split(',')
    .map((element) => (element === 'NULL' ? null : BigInt(element)))
}
