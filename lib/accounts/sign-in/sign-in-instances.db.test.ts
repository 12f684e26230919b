import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { withStillClock } from '@/test/databases/still-clock'
import { newKeyPair } from '@/test/vasp/keys'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { seedUsers } from '../seed'
import { deleteOldAttempts } from './attempt-counter'
import { signIn } from './sign-in'
import { tryTeamPassword } from './team-gate'

const TEAM = {
  SANDBOX_TOOLS: 'private',
  SANDBOX_TEAM_PASSWORD: 'the password of our team',
  SANDBOX_PASSWORD: 'of our users',
}
const PASSWORD = TEAM.SANDBOX_PASSWORD

describeOnPostgres('Signing in at two instances on one database', (server) => {
  const vasps: TestVasp[] = []
  /** Number of passwords compared with a hash, on both instances together. */
  let compared = 0
  /** Names of the statements of the first instance, and what it does with Prisma. */
  const statements: string[] = []

  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const pair = newKeyPair()
    const now = new Date()
    for (const instance of ['first', 'second']) {
      const opened = withStillClock(await openPatiently(databaseUrl), now)
      const prisma = opened.prisma.$extends({
        query: {
          passwordAttempt: {
            $allOperations({ operation, args, query }) {
              if (instance === 'first') statements.push(`password_attempt ${operation}`)
              return query(args)
            },
          },
        },
      }) as unknown as Database['prisma']
      const db: Database = {
        ...opened,
        prisma,
        query(statement, params) {
          if (instance === 'first') statements.push(statement.name)
          return opened.query(statement, params)
        },
      }
      const vasp = await makeTestVasp(db, { RATE_LIMITS: 'on', ...TEAM }, pair)
      const matches = (password: string, hash: string | undefined): Promise<boolean> => {
        compared += 1
        return testPasswords.matches(password, hash)
      }
      vasps.push({ ...vasp, app: { ...vasp.app, passwords: { ...testPasswords, matches } } })
    }
    await seedUsers(vasps[0]?.app.db as Database, PASSWORD, testPasswords)
  })
  afterAll(() => Promise.all(vasps.map(({ app }) => app.db.close())))

  const at = (index: number): TestVasp['app'] => (vasps[index % 2] as TestVasp).app

  it('checks only five of fifty concurrent guesses that are spread over both', async () => {
    const before = compared
    const guesses = await Promise.all(Array.from({ length: 50 }, (_, index) => signIn(at(index), 'khalid', 'wrong')))
    expect(compared - before).toBe(5)
    expect(guesses.filter(({ kind }) => kind === 'refused')).toHaveLength(5)
    expect(guesses.filter(({ kind }) => kind === 'wait')).toHaveLength(45)
  })

  it('makes the right password wait at the other instance, but not in a browser in which the user signed in before', async () => {
    const browser = { id: 'browser-1', usernames: ['yuki'] }
    for (let count = 0; count < 5; count++) expect((await signIn(at(0), 'yuki', 'wrong')).kind).toBe('refused')
    expect((await signIn(at(1), 'yuki', PASSWORD)).kind).toBe('wait')
    expect((await signIn(at(1), 'yuki', PASSWORD, browser)).kind).toBe('signed-in')
    expect((await signIn(at(1), 'yuki', PASSWORD)).kind).toBe('wait')
    for (let count = 0; count < 5; count++) await signIn(at(count), 'yuki', 'wrong', browser)
    expect((await signIn(at(0), 'yuki', PASSWORD, browser)).kind).toBe('wait')
  })

  it('counts names without a user in the same way', async () => {
    for (let count = 0; count < 5; count++) await signIn(at(0), 'not-a-user', 'wrong')
    expect((await signIn(at(1), 'not-a-user', 'wrong')).kind).toBe('wait')
  })

  it('starts the count again at both after a success at one', async () => {
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 4; count++) expect((await signIn(at(0), 'bob', 'wrong')).kind).toBe('refused')
      expect((await signIn(at(1), 'bob', PASSWORD)).kind).toBe('signed-in')
    }
  })

  it('accepts every correct password, however many arrive at both at the same instant', async () => {
    const results = await Promise.all(Array.from({ length: 12 }, (_, index) => signIn(at(index), 'alice', PASSWORD)))
    expect(results.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'signed-in'))
  })

  it('does not count a suspended user’s right password as wrong, and does not reset the count', async () => {
    await at(0).db.prisma.user.update({ where: { id: 'bob' }, data: { status: 'suspended' } })
    for (let count = 0; count < 4; count++) expect((await signIn(at(0), 'bob', 'wrong')).kind).toBe('refused')
    for (let count = 0; count < 3; count++) expect((await signIn(at(1), 'bob', PASSWORD)).kind).toBe('suspended')
    expect((await signIn(at(1), 'bob', 'wrong')).kind).toBe('refused')
    expect((await signIn(at(0), 'bob', PASSWORD)).kind).toBe('wait')
  })

  it('limits wrong team passwords across both', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => tryTeamPassword(at(index), 'wrong', '198.51.100.1')),
    )
    expect(guesses.filter((each) => each === false)).toHaveLength(20)
  })

  it('counts with two statements for a sign-in, one for a wrong password and two for an attempt that waits', async () => {
    const countOf = async (name: string, password: string): Promise<string[]> => {
      statements.length = 0
      await signIn(at(0), name, password)
      return statements.filter((each) => each.includes('password_attempt'))
    }
    expect(await countOf('penny', PASSWORD)).toEqual(['begin_password_attempt', 'password_attempt deleteMany'])
    for (let count = 0; count < 5; count++) expect(await countOf('penny', 'wrong')).toEqual(['begin_password_attempt'])
    expect(await countOf('penny', PASSWORD)).toEqual(['begin_password_attempt', 'password_attempt_wait'])
    await Promise.all([deleteOldAttempts(at(0).db), deleteOldAttempts(at(1).db)])
    expect((await signIn(at(1), 'penny', PASSWORD)).kind).toBe('wait')
  })
})
