import { expect, it } from 'vitest'
import { isFromOwnMachine, type Head } from './own-machine'

const headOf = (
  remoteAddress: string | undefined,
  headers: Head['headers'] = {},
  localAddress = '127.0.0.1',
): Head => ({ headers: { host: '127.0.0.1:3000', ...headers }, socket: { remoteAddress, localAddress } })

it.each([
  ['127.0.0.1', {}, '127.0.0.1'],
  ['::1', { host: 'localhost:3000' }, '::1'],
  ['::ffff:127.0.0.1', { host: '[::1]:3000' }, '::ffff:127.0.0.1'],
  ['10.0.0.5', { host: '10.0.0.5:3000' }, '10.0.0.5'],
])('a request from %s is from the machine itself', (remote, headers, local) => {
  expect(isFromOwnMachine(headOf(remote, headers, local))).toBe(true)
})

it.each([
  ['192.0.2.7', {}, '10.0.0.5'],
  ['2001:db8::1', {}, '2001:db8::2'],
  ['172.31.250.1', { host: '172.31.250.3:3000' }, '172.31.250.3'],
  [undefined, {}, '127.0.0.1'],
])('a request from %s is from elsewhere', (remote, headers, local) => {
  expect(isFromOwnMachine(headOf(remote, headers, local))).toBe(false)
})

it.each([
  { 'x-forwarded-for': '192.0.2.7' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-forwarded-proto': 'https' },
  { forwarded: 'for=192.0.2.7' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '192.0.2.7' },
  { 'cf-connecting-ip': '192.0.2.7' },
  { host: 'sandbox.example' },
  { host: 'localhost.example:3000' },
  { host: '127.0.0.1.example' },
  { host: '' },
])('a request that a proxy on this machine passes on is from elsewhere: %j', (headers) => {
  expect(isFromOwnMachine(headOf('127.0.0.1', headers))).toBe(false)
})
