import { expect, it } from 'vitest'
import { passesTeamGate, teamCookie } from './team-gate'

const settings = { teamPassword: 'correct team password', nextAuthSecret: 's'.repeat(32), instance: 'northbank' }
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
