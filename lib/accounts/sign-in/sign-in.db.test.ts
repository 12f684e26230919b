import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { withStillClock } from '@/test/databases/still-clock'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp } from '@/test/vasp/vasp'
import type { ConcurrencyLimiter } from '../../platform/concurrency/concurrency-limiter'
import { processSingletons } from '../../platform/process-singletons'
import { openSession, signOutUser, userOfSession } from '../sessions/session-store'
import { signIn } from './sign-in'

describeOnBothEngines('signing in', (db) => {
  beforeAll(() => seedUsers(db(), 'sandbox', testPasswords))

  it('opens a new session each time, for any spelling of the address', async () => {
    const { app } = await makeTestVasp(db())
    const results = [await signIn(app, 'alice', 'sandbox'), await signIn(app, ' $Alice@localhost:3000', 'sandbox')]
    const ids = results.map((result) => (result.kind === 'signed-in' ? result.sessionId : result.kind))
    expect(results.map(({ kind }) => kind)).toEqual(['signed-in', 'signed-in'])
    expect(new Set(ids).size).toBe(2)
  })

  it('answers an unknown name, a wrong password and malformed input in the same way', async () => {
    const { app } = await makeTestVasp(db())
    for (const [name, password] of [
      ['alice', 'wrong'],
      ['nobody', 'sandbox'],
      ['', ''],
      ["' or 1=1 --", 'sandbox'],
      ['ali\0ce', 'sandbox'],
      ['\ud800', '\ud800'],
      ['a'.repeat(9_000), 'b'.repeat(9_000)],
    ] as const) {
      expect(await signIn(app, name, password)).toEqual({ kind: 'refused' })
    }
  })

  it('makes a guesser wait after five wrong passwords for one user, but not for another user', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    for (let count = 0; count < 5; count++) expect((await signIn(app, 'yuki', 'wrong')).kind).toBe('refused')
    expect(await signIn(app, 'yuki', 'sandbox')).toEqual({ kind: 'wait', seconds: 2 })
    expect((await signIn(app, 'bob', 'sandbox')).kind).toBe('signed-in')
  })

  it('checks only five of forty concurrent guesses', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    const guesses = await Promise.all(Array.from({ length: 40 }, () => signIn(app, 'khalid', 'wrong')))
    expect(guesses.filter(({ kind }) => kind === 'refused')).toHaveLength(5)
    expect(guesses.filter(({ kind }) => kind === 'wait')).toHaveLength(35)
  })

  it('accepts every correct password, however many arrive concurrently', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    const results = await Promise.all(Array.from({ length: 12 }, () => signIn(app, 'bob', 'sandbox')))
    expect(results.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'signed-in'))
  })

  it('rejects a flood of sign-ins while 32 guesses wait, and counts these rejections against no user', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    // As many guesses as can wait never end.
    const queue = processSingletons().get('password work') as ConcurrencyLimiter
    let end = (): void => {}
    const ends = new Promise<void>((resolve) => (end = resolve))
    const guesses = Array.from({ length: 32 }, () => queue.run(() => ends))
    const flood = await Promise.all(Array.from({ length: 200 }, (_, index) => signIn(app, `name-${index}`, 'wrong')))
    end()
    await Promise.all(guesses)
    expect(flood).toEqual(Array.from({ length: 200 }, () => ({ kind: 'busy' })))
    for (let count = 0; count < 5; count++) expect((await signIn(app, 'name-0', 'wrong')).kind).toBe('refused')
    expect((await signIn(app, 'alice', 'sandbox')).kind).toBe('signed-in')
  })

  it('starts the count of wrong passwords again after the right one', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    for (let count = 0; count < 4; count++) await signIn(app, 'alice', 'wrong')
    expect((await signIn(app, 'alice', 'sandbox')).kind).toBe('signed-in')
    for (let count = 0; count < 4; count++) await signIn(app, 'alice', 'wrong')
    expect((await signIn(app, 'alice', 'sandbox')).kind).toBe('signed-in')
  })

  it.each(['sandbox', 'ｓａｎｄｂｏｘ', '\uff53andbox', 'san\u{1d41d}box'])(
    'refuses the default password, spelled as %s, where others can reach the server',
    async (password) => {
      const { app } = await makeTestVasp(db(), { SANDBOX_TOOLS: 'off' })
      expect(await signIn(app, 'alice', password)).toEqual({ kind: 'refused' })
      // This spelling is the password itself: it opens the account where the default is allowed.
      expect((await signIn((await makeTestVasp(db())).app, 'alice', password)).kind).toBe('signed-in')
    },
  )

  it('tells users that they are suspended only after the right password, and does not count that password as wrong', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    await db().query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = 'penny'` })
    for (let count = 0; count < 7; count++) expect(await signIn(app, 'penny', 'sandbox')).toEqual({ kind: 'suspended' })
    expect(await signIn(app, 'penny', 'wrong')).toEqual({ kind: 'refused' })
    await db().query({ name: 'test_resume', text: `update users set status = 'active' where id = 'penny'` })
    expect((await signIn(app, 'penny', 'sandbox')).kind).toBe('signed-in')
  })

  it('uses a new sandbox password for all users from the next start on', async () => {
    await seedUsers(db(), 'a password of our own', testPasswords)
    const { app } = await makeTestVasp(db(), {
      SANDBOX_TOOLS: 'private',
      SANDBOX_TEAM_PASSWORD: 'the password of our team',
      SANDBOX_PASSWORD: 'a password of our own',
    })
    expect((await signIn(app, 'khalid', 'a password of our own')).kind).toBe('signed-in')
    expect(await signIn(app, 'khalid', 'sandbox')).toEqual({ kind: 'refused' })
    await seedUsers(db(), 'sandbox', testPasswords)
  })

  it('gives every test user the printed password at the next start, and ends the sessions of the former one', async () => {
    const { app } = await makeTestVasp(db())
    const sessions = { yuki: randomUUID(), bob: randomUUID() }
    for (const [username, id] of Object.entries(sessions)) await openSession(db(), id, username)
    // An operator changed it while the sandbox tools were off.
    const passwordHash = await testPasswords.hash('a password of the operator')
    await db().prisma.user.update({ where: { id: 'yuki' }, data: { passwordHash } })
    await seedUsers(db(), 'sandbox', testPasswords)
    expect((await signIn(app, 'yuki', 'sandbox')).kind).toBe('signed-in')
    expect(await userOfSession(db(), sessions.yuki)).toBeUndefined()
    expect((await userOfSession(db(), sessions.bob))?.username).toBe('bob')
  })

  it('opens no session with a password that is changed while it is checked', async () => {
    const { app } = await makeTestVasp(db())
    const username = `m${randomUUID().slice(0, 8)}`
    const passwordHash = await testPasswords.hash('the former password')
    await db().prisma.user.create({ data: { id: username, displayName: 'M', passwordHash } })
    const newHash = await testPasswords.hash('the new password')
    const passwords = {
      ...app.passwords,
      matches: async (...given: Parameters<typeof app.passwords.matches>) => {
        const matches = await app.passwords.matches(...given)
        await signOutUser(db(), username, { passwordHash: newHash })
        return matches
      },
    }
    expect((await signIn({ ...app, passwords }, username, 'the former password')).kind).toBe('refused')
    expect(await db().prisma.session.count({ where: { userId: username } })).toBe(0)
    expect((await signIn(app, username, 'the new password')).kind).toBe('signed-in')
  })

  it('accepts a user from a known browser, however many wrong passwords come from other browsers', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    const browser = { id: 'browser-1', usernames: ['bob', 'khalid'] }
    for (let count = 0; count < 6; count++) await signIn(app, 'khalid', 'wrong')
    expect((await signIn(app, 'khalid', 'sandbox')).kind).toBe('wait')
    expect((await signIn(app, 'khalid', 'sandbox', { ...browser, usernames: ['bob'] })).kind).toBe('wait')
    expect((await signIn(app, 'khalid', 'sandbox', browser)).kind).toBe('signed-in')
    // The unknown browser still waits.
    expect((await signIn(app, 'khalid', 'sandbox')).kind).toBe('wait')
  })

  it('also makes a guesser wait in a known browser, and only there', async () => {
    const { app } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    const browser = { id: 'browser-1', usernames: ['bob'] }
    for (let count = 0; count < 5; count++) expect((await signIn(app, 'bob', 'wrong', browser)).kind).toBe('refused')
    expect((await signIn(app, 'bob', 'sandbox', browser)).kind).toBe('wait')
    expect((await signIn(app, 'bob', 'sandbox', { ...browser, id: 'browser-2' })).kind).toBe('signed-in')
    expect((await signIn(app, 'bob', 'sandbox')).kind).toBe('signed-in')
  })

  it('logs each successful, failed and throttled sign-in, without the typed text', async () => {
    const { app, logged } = await makeTestVasp(withStillClock(db()), { RATE_LIMITS: 'on' })
    await signIn(app, '$Alice@localhost:3000', 'sandbox', { id: 'x', usernames: ['alice'] })
    await signIn(app, 'correct-horse', 'correct-horse')
    for (let count = 0; count < 6; count++) await signIn(app, 'penny', 'wrong-pass')
    for (let count = 0; count < 6; count++) await signIn(app, 'not-a-user', 'wrong-pass')
    const lines = logged.map((line) => JSON.parse(line) as { msg: string; username: string; browser: string })
    expect(lines.map(({ msg, username, browser }) => `${msg}: ${username}, ${browser}`)).toEqual([
      'signed in: alice, known',
      'sign-in failed: unknown name, new',
      ...Array.from({ length: 5 }, () => 'sign-in failed: penny, new'),
      'sign-in throttled: penny, new',
      ...Array.from({ length: 5 }, () => 'sign-in failed: unknown name, new'),
      'sign-in throttled: unknown name, new',
    ])
    expect(logged.join('')).not.toMatch(/sandbox|correct-horse|wrong-pass|not-a-user/)
  })
})
