import { expect, it } from 'vitest'
import { makeRateLimiter } from '../platform/rate-limiter'
import { passesTeamGate, teamCookie, tryTeamPassword } from './team-gate'

const settings = { teamPassword: 'correct team password', nextAuthSecret: 's'.repeat(32), instance: 'northbank' }
const HERE = '192.0.2.1'
const open = { ...settings, teamPassword: undefined }

it('lets every browser pass when there is no team password', () => {
  expect(passesTeamGate(open, undefined)).toBe(true)
})

it('lets a browser pass only with the cookie of the current team password', () => {
  const cookie = teamCookie(settings)
  expect(passesTeamGate(settings, cookie)).toBe(true)
  for (const other of [undefined, '', `${cookie}x`, 'correct team password'])
    expect(passesTeamGate(settings, other)).toBe(false)
  expect(passesTeamGate({ ...settings, teamPassword: 'a new team password' }, cookie)).toBe(false)
  expect(passesTeamGate({ ...settings, instance: 'southbank' }, cookie)).toBe(false)
  expect(passesTeamGate({ ...settings, nextAuthSecret: 't'.repeat(32) }, cookie)).toBe(false)
})

it('accepts the team password and no other', () => {
  expect(tryTeamPassword(settings, 'correct team password', HERE)).toBe(true)
  for (const wrong of ['', 'correct team passwor', 'correct team password '])
    expect(tryTeamPassword(settings, wrong, HERE)).toBe(false)
  expect(tryTeamPassword(open, '', HERE)).toBe(false)
})

it('returns the seconds to wait after too many wrong passwords from one network, for the right password too', () => {
  const limiter = makeRateLimiter({ perSecond: 1, burst: 2 })
  for (let count = 0; count < 10; count++)
    expect(tryTeamPassword(settings, 'correct team password', HERE, limiter)).toBe(true)
  expect(tryTeamPassword(settings, 'wrong', HERE, limiter)).toBe(false)
  expect(tryTeamPassword(settings, 'wrong', HERE, limiter)).toBe(false)
  expect(tryTeamPassword(settings, 'correct team password', HERE, limiter)).toBe(1)
  expect(tryTeamPassword(settings, 'correct team password', '198.51.100.1', limiter)).toBe(true)
})
