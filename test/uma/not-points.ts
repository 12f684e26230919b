/** Texts of a public key that stand for no point, or are in an encoding that UMA does not use: from a valid key of 65 bytes. */
export const NOT_POINTS: readonly (readonly [string, (point: Buffer) => Buffer])[] = [
  ['a point that is not on the curve', (point) => changed(point, 64, (point[64] ?? 0) ^ 1)],
  ['the point at infinity, one zero byte', () => Buffer.of(0)],
  ['65 zero bytes', () => Buffer.alloc(65)],
  ['the coordinates zero', () => changed(Buffer.alloc(65), 0, 4)],
  [
    'a coordinate beyond the field',
    (point) => Buffer.concat([Buffer.of(4), Buffer.alloc(32, 255), point.subarray(33)]),
  ],
  // 06 and 07 say whether y is even.
  ['the hybrid encoding', (point) => changed(point, 0, 6 + ((point[64] ?? 0) & 1))],
  ['an unknown encoding', (point) => changed(point, 0, 5)],
  ['a key without its last byte', (point) => point.subarray(0, 64)],
  ['a key with another byte', (point) => Buffer.concat([point, Buffer.of(0)])],
  ['no bytes', () => Buffer.alloc(0)],
]

function changed(point: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(point)
  copy[at] = value
  return copy
}
