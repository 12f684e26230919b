import { beforeAll, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, onDatabase } from '@/test/vasp/vasp'
import { openSession, userOfSession } from '../sessions/session-store'
import { authorize, SIGN_IN_ERRORS, type Browser } from './authorize'

const RIGHT = { username: 'alice', password: 'sandbox' }
/** A browser with this session, in which no user has signed in before. */
const browserWith = (sessionId: string | undefined): Browser => ({
  formerSessionId: async () => sessionId,
  known: async () => undefined,
  remember: async () => undefined,
})
const noSession = browserWith(undefined)

describeOnBothEngines('the authorize callback of the sign-in library', (db) => {
  beforeAll(() => seedUsers(db(), 'sandbox', testPasswords))

  const wordOf = async (app: Parameters<typeof authorize>[0], given: unknown): Promise<string> => {
    const result = await authorize(app, given, noSession).catch((error: Error) => error)
    return result instanceof Error ? result.message : result === null ? 'CredentialsSignin' : 'signed in'
  }

  it('ends the browser’s previous session, whichever user it belongs to, and opens a new one', async () => {
    const { app } = await makeTestVasp(db())
    await openSession(db(), 'bobs-session', 'bob')
    await openSession(db(), 'elsewhere', 'alice')
    const signedIn = await authorize(app, RIGHT, browserWith('bobs-session'))
    expect(await userOfSession(db(), 'bobs-session')).toBeUndefined()
    expect(await userOfSession(db(), signedIn?.sid ?? '')).toMatchObject({ username: 'alice' })
    // The session of another browser stays open.
    expect(await userOfSession(db(), 'elsewhere')).toMatchObject({ username: 'alice' })
  })

  it('remembers the browser after a sign-in, and not after a failed one', async () => {
    const { app } = await makeTestVasp(db())
    const remembered: string[] = []
    const browser = { ...noSession, remember: async (username: string) => void remembered.push(username) }
    await authorize(app, { ...RIGHT, password: 'wrong' }, browser)
    expect(remembered).toEqual([])
    await authorize(app, { ...RIGHT, username: '$Alice' }, browser)
    expect(remembered).toEqual(['alice'])
  })

  it("keeps the browser's session when the new sign-in fails", async () => {
    await openSession(db(), 'kept', 'bob')
    expect(
      await authorize((await makeTestVasp(db())).app, { ...RIGHT, password: 'wrong' }, browserWith('kept')),
    ).toBeNull()
    expect(await userOfSession(db(), 'kept')).toMatchObject({ username: 'bob' })
  })

  it.each([
    undefined,
    null,
    {},
    { username: 'alice' },
    { username: {}, password: 'sandbox' },
    { username: ['alice'], password: 'sandbox' },
    { username: 'alice', password: { length: 1 } },
    { username: 'alice', password: ['sandbox'] },
    { username: 1, password: true },
  ])('rejects %j like a name and a password that do not match', async (given) => {
    expect(await wordOf((await makeTestVasp(db())).app, given)).toBe('CredentialsSignin')
  })

  it('reports an unreachable database with a fixed code, and writes the cause to the log only', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' })
    const broken = onDatabase(await makeTestVasp(db()), { ...db(), query: () => Promise.reject(cause) })
    expect(await wordOf(broken.app, RIGHT)).toBe('Unavailable')
    expect(broken.logged.join('')).toContain('ECONNREFUSED')
  })

  it('checks no password when the database cannot count the attempt', async () => {
    const vasp = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' })
    const broken = onDatabase(vasp, { ...db(), query: () => Promise.reject(cause) })
    const matches = vi.fn(async () => true)
    expect(await wordOf({ ...broken.app, passwords: { ...vasp.app.passwords, matches } }, RIGHT)).toBe('Unavailable')
    expect(matches).not.toHaveBeenCalled()
  })

  it('reports any other failure with a fixed code', async () => {
    const broken = onDatabase(await makeTestVasp(db()), {
      ...db(),
      query: () => Promise.reject(new TypeError('n.trim is not a function')),
    })
    expect(await wordOf(broken.app, RIGHT)).toBe('Failed')
  })

  it('returns only codes that the sign-in page accepts', async () => {
    const { app } = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    const words = new Set<string>()
    for (let count = 0; count < 6; count++) words.add(await wordOf(app, { username: 'penny', password: 'wrong' }))
    expect([...words]).toEqual(['CredentialsSignin', expect.stringMatching(/^TooManyTries-/)])
    for (const word of words) expect(word).toMatch(SIGN_IN_ERRORS)
    for (const text of ['<b>', 'connect ECONNREFUSED', 'Busy\n', 'TooManyTries-1e9', ''])
      expect(text).not.toMatch(SIGN_IN_ERRORS)
  })
})
