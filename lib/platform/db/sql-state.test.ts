import { expect, test } from 'vitest'
import { sqlState } from './sql-state'

test("the driver's own error returns its code, including P0001 from a plain RAISE", () => {
  expect(sqlState(Object.assign(new Error('no'), { code: '23505', severity: 'ERROR' }))).toBe('23505')
  expect(sqlState(Object.assign(new Error('no'), { code: 'P0001', severity: 'ERROR' }))).toBe('P0001')
})

test('an error of Prisma returns the code of its cause', () => {
  const driverAdapterError = Object.assign(new Error('no'), { cause: { originalCode: 'CN002', kind: 'postgres' } })
  expect(sqlState(Object.assign(new Error('no'), { code: 'P2010', meta: { driverAdapterError } }))).toBe('CN002')
  expect(sqlState(driverAdapterError)).toBe('CN002')
})

test('a code of the operating system, of Prisma or of another source is not a SQLSTATE', () => {
  expect(sqlState(Object.assign(new Error('no'), { code: 'EPIPE', syscall: 'write' }))).toBeUndefined()
  expect(sqlState(Object.assign(new Error('no'), { code: 'P2002', meta: {} }))).toBeUndefined()
  expect(sqlState(new Error('no'))).toBeUndefined()
  expect(sqlState('23505')).toBeUndefined()
  expect(sqlState(null)).toBeUndefined()
})
