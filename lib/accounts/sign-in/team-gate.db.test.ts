import { beforeAll, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnBothEngines } from '@/test/databases/databases'
import { withStillClock } from '@/test/databases/still-clock'
import { tryTeamPassword } from './team-gate'

const RIGHT = 'correct team password'
const settings = { teamPassword: RIGHT, nextAuthSecret: 's'.repeat(32), instance: 'northbank' }

describeOnBothEngines('The team password', (db) => {
  let still: Database
  beforeAll(() => void (still = withStillClock(db())))
  const attempt = (given: string, address: string, of: Parameters<typeof tryTeamPassword>[0]['settings'] = settings) =>
    tryTeamPassword({ db: still, settings: of }, given, address)

  it('is accepted, and other passwords are refused', async () => {
    expect(await attempt(RIGHT, '192.0.2.1')).toBe(true)
    for (const wrong of ['', 'correct team passwor', 'correct team password '])
      expect(await attempt(wrong, '192.0.2.1')).toBe(false)
    expect(await attempt('', '192.0.2.1', { ...settings, teamPassword: undefined })).toBe(false)
  })

  it('is not accepted for a while from a network that has sent twenty wrong passwords, but is still accepted from others', async () => {
    for (let count = 0; count < 30; count++) expect(await attempt(RIGHT, '198.51.100.1')).toBe(true)
    const guesses = await Promise.all(Array.from({ length: 50 }, () => attempt('wrong', '198.51.100.1')))
    expect(guesses.filter((each) => each === false)).toHaveLength(20)
    expect(await attempt(RIGHT, '198.51.100.1')).toBe(1)
    expect(await attempt(RIGHT, '198.51.101.1')).toBe(true)
  })

  it('gets the same answer as a wrong one, through the same statements, while the network has to wait', async () => {
    for (let count = 0; count < 20; count++) await attempt('wrong', '198.51.102.1')
    const statementsOf = async (given: string): Promise<[number | boolean, string[]]> => {
      const names: string[] = []
      const recording: Database = {
        ...still,
        query: (statement, params) => {
          names.push(statement.name)
          return still.query(statement, params)
        },
      }
      return [await tryTeamPassword({ db: recording, settings }, given, '198.51.102.1'), names]
    }
    expect(await statementsOf(RIGHT)).toEqual([1, ['begin_password_attempt', 'password_attempt_wait']])
    expect(await statementsOf('wrong')).toEqual([1, ['begin_password_attempt', 'password_attempt_wait']])
  })

  it('has to wait when it is queued behind fifty wrong ones sent at the same instant', async () => {
    const guesses = [...Array.from({ length: 50 }, () => 'wrong'), RIGHT]
    const results = await Promise.all(guesses.map((guess) => attempt(guess, '198.51.103.1')))
    expect(results.at(-1)).toBe(1)
  })

  it('is checked on one connection at a time during a flood from one network; attempts that do not fit in the queue are rejected', async () => {
    let [running, most] = [0, 0]
    const counting: Database = {
      ...db(),
      async query(statement, params) {
        most = Math.max(most, (running += 1))
        try {
          return await db().query(statement, params)
        } finally {
          running -= 1
        }
      },
    }
    const flood = await Promise.all(
      Array.from({ length: 700 }, () => tryTeamPassword({ db: counting, settings }, 'wrong', '203.0.113.1')),
    )
    expect(most).toBe(1)
    expect(flood.filter((each) => each === 1).length).toBeGreaterThanOrEqual(700 - 501)
    expect(flood).not.toContain(true)
  })
})
