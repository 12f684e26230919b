/** The part of DER that a certificate needs (ITU-T X.690): a tag, a length, and the content. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  const { length } = body
  if (length > 0xffff) throw new RangeError('too long for two bytes of length')
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents)
export const octets = (content: Uint8Array): Buffer => der(0x04, content)
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text))
export const yes = Buffer.from([0x01, 0x01, 0xff])

/** `unused` bits at the end do not count. */
export const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content)

/** An unsigned number, big-endian. */
export function integer(bytes: Uint8Array): Buffer {
  const negative = ((bytes[0] ?? 0) & 0x80) !== 0
  return der(0x02, Buffer.from(negative ? [0] : []), bytes)
}

/** An object identifier: the first two numbers share a byte; the others are encoded in groups of seven bits. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = rest.flatMap((number) => {
    const sevens = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) sevens.unshift((left & 0x7f) | 0x80)
    return sevens
  })
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

/** UTCTime covers the years up to 2049, GeneralizedTime later ones (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}
