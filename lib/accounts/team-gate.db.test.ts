import { expect, it } from 'vitest'
import { describeOnBothEngines } from '@/test/databases'
import { tryTeamPassword } from './team-gate'

const RIGHT = 'correct team password'
const settings = { teamPassword: RIGHT, nextAuthSecret: 's'.repeat(32), instance: 'northbank' }

describeOnBothEngines('The team password', (db) => {
  const attempt = (given: string, address: string, of: Parameters<typeof tryTeamPassword>[0]['settings'] = settings) =>
    tryTeamPassword({ db: db(), settings: of }, given, address)

  it('is accepted, and other passwords are refused', async () => {
    expect(await attempt(RIGHT, '192.0.2.1')).toBe(true)
    for (const wrong of ['', 'correct team passwor', 'correct team password '])
      expect(await attempt(wrong, '192.0.2.1')).toBe(false)
    expect(await attempt('', '192.0.2.1', { ...settings, teamPassword: undefined })).toBe(false)
  })

  it('has to wait after twenty wrong passwords from one network, and only there', async () => {
    for (let count = 0; count < 30; count++) expect(await attempt(RIGHT, '198.51.100.1')).toBe(true)
    const guesses = await Promise.all(Array.from({ length: 50 }, () => attempt('wrong', '198.51.100.1')))
    // One more guess is allowed each second, and a slow machine may need more than a second.
    const checked = guesses.filter((each) => each === false).length
    expect(checked).toBeGreaterThanOrEqual(20)
    expect(checked).toBeLessThanOrEqual(22)
    await attempt('wrong', '198.51.100.1')
    expect(await attempt(RIGHT, '198.51.100.1')).toBe(1)
    expect(await attempt(RIGHT, '198.51.101.1')).toBe(true)
  })
})
