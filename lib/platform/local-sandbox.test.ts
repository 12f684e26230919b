import { expect, it } from 'vitest'
import { isOnOwnMachine } from './local-sandbox'

it.each([
  ['http://localhost:3000', true],
  ['https://localhost', true],
  ['http://bank.localhost:3000', true],
  ['http://127.0.0.2:3001', true],
  ['http://[::1]:3000', true],
  ['https://sandbox.example', false],
  ['https://vasp.internal', false],
  ['https://localhost.example', false],
  ['https://127.0.0.1.example', false],
  ['http://192.168.0.10:3000', false],
  ['https://notlocalhost', false],
])('%s is on the own machine of its user: %s', (publicOrigin, expected) => {
  expect(isOnOwnMachine({ publicOrigin })).toBe(expected)
})
