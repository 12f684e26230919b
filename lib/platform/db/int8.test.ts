import { expect, test } from 'vitest'
import { decodeInt8, decodeInt8Array } from './int8'

test('a 64-bit integer outside the safe range of a number is read exactly', () => {
  expect(decodeInt8('9223372036854775807')).toBe(9_223_372_036_854_775_807n)
  expect(decodeInt8('-9223372036854775808')).toBe(-9_223_372_036_854_775_808n)
})

test('an array keeps its order, signs and nulls', () => {
  expect(decodeInt8Array('{1,-2,NULL,9007199254740993}')).toEqual([1n, -2n, null, 9_007_199_254_740_993n])
  expect(decodeInt8Array('{}')).toEqual([])
})

test('an array of arrays is rejected', () => {
  expect(() => decodeInt8Array('{{1,2},{3,4}}')).toThrow(SyntaxError)
})
