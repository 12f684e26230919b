import { beforeAll, expect, it } from 'vitest'
import { seedPeople } from '@/lib/users/seed'
import { describeOnBothEngines } from '@/test/databases'
import { makeTestVasp } from '@/test/vasp'
import { signIn } from './sign-in'

describeOnBothEngines('signing in', (db) => {
  beforeAll(() => seedPeople(db(), 'sandbox'))

  it('opens a new session each time, under any spelling of the address', async () => {
    const { deps } = await makeTestVasp(db())
    const results = [await signIn(deps, 'alice', 'sandbox'), await signIn(deps, ' $Alice@localhost:3000', 'sandbox')]
    const ids = results.map((result) => (result.kind === 'signed-in' ? result.sessionId : result.kind))
    expect(results.map(({ kind }) => kind)).toEqual(['signed-in', 'signed-in'])
    expect(new Set(ids).size).toBe(2)
  })

  it('answers the same to an unknown name, a wrong password and odd input', async () => {
    const { deps } = await makeTestVasp(db())
    for (const [name, password] of [
      ['alice', 'wrong'],
      ['nobody', 'sandbox'],
      ['', ''],
      ["' or 1=1 --", 'sandbox'],
      ['ali\0ce', 'sandbox'],
      ['\ud800', '\ud800'],
      ['a'.repeat(9_000), 'b'.repeat(9_000)],
    ] as const) {
      expect(await signIn(deps, name, password)).toEqual({ kind: 'refused' })
    }
  })

  it('makes a guesser wait after five wrong passwords, longer each time, and forgets at success', async () => {
    const { deps } = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    for (let count = 0; count < 5; count++) expect((await signIn(deps, 'yuki', 'wrong')).kind).toBe('refused')
    const sixth = await signIn(deps, 'yuki', 'sandbox')
    // Two seconds after the fifth try began; a slow machine has spent one of them on checking it.
    expect([
      { kind: 'wait', seconds: 2 },
      { kind: 'wait', seconds: 1 },
    ]).toContainEqual(sixth)
    expect((await signIn(deps, 'bob', 'sandbox')).kind).toBe('signed-in')
  })

  it('counts guesses made at the same instant one by one: forty at once are five', async () => {
    const { deps } = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    const guesses = await Promise.all(Array.from({ length: 40 }, () => signIn(deps, 'khalid', 'wrong')))
    expect(guesses.filter(({ kind }) => kind === 'refused')).toHaveLength(5)
    expect(guesses.filter(({ kind }) => kind === 'wait')).toHaveLength(35)
  })

  it('lets in everybody who gives the right password, however many of them at the same instant', async () => {
    const { deps } = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    const results = await Promise.all(Array.from({ length: 12 }, () => signIn(deps, 'bob', 'sandbox')))
    expect(results.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'signed-in'))
  })

  it('turns most of a flood of names away before any work, and holds that against nobody', async () => {
    const { deps } = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    const flood = await Promise.all(Array.from({ length: 200 }, (_, index) => signIn(deps, `name-${index}`, 'wrong')))
    const turnedAway = flood.flatMap(({ kind }, index) => (kind === 'busy' ? [`name-${index}`] : []))
    expect(flood.every(({ kind }) => kind === 'busy' || kind === 'refused')).toBe(true)
    expect(turnedAway.length).toBeGreaterThanOrEqual(150)
    for (let count = 0; count < 4; count++) deps.signInThrottle.failed(turnedAway[0] ?? '')
    expect(deps.signInThrottle.waitSeconds(turnedAway[0] ?? '')).toBe(0)
    expect((await signIn(deps, 'alice', 'sandbox')).kind).toBe('signed-in')
  })

  it('does not hold tries against somebody who then gives the right password', async () => {
    const { deps } = await makeTestVasp(db(), { RATE_LIMITS: 'on' })
    for (let count = 0; count < 4; count++) await signIn(deps, 'alice', 'wrong')
    expect((await signIn(deps, 'alice', 'sandbox')).kind).toBe('signed-in')
    for (let count = 0; count < 4; count++) await signIn(deps, 'alice', 'wrong')
    expect((await signIn(deps, 'alice', 'sandbox')).kind).toBe('signed-in')
  })

  it.each(['sandbox', 'ｓａｎｄｂｏｘ', '\uff53andbox', 'san\u{1d41d}box'])(
    'refuses the default password where others can reach the server, spelled as %s',
    async (password) => {
      const { deps } = await makeTestVasp(db(), { SANDBOX_TOOLS: 'off' })
      expect(await signIn(deps, 'alice', password)).toEqual({ kind: 'refused' })
      // The spelling is the password itself: where the default is allowed, it opens the account.
      expect((await signIn((await makeTestVasp(db())).deps, 'alice', password)).kind).toBe('signed-in')
    },
  )

  it('lets in nobody whose account is suspended', async () => {
    const { deps } = await makeTestVasp(db())
    await db().query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = 'penny'` })
    expect(await signIn(deps, 'penny', 'sandbox')).toEqual({ kind: 'refused' })
  })

  it('takes a new sandbox password at the next start, for everybody', async () => {
    await seedPeople(db(), 'a password of our own')
    const { deps } = await makeTestVasp(db(), { HOST: '0.0.0.0', SANDBOX_PASSWORD: 'a password of our own' })
    expect((await signIn(deps, 'khalid', 'a password of our own')).kind).toBe('signed-in')
    expect(await signIn(deps, 'khalid', 'sandbox')).toEqual({ kind: 'refused' })
    await seedPeople(db(), 'sandbox')
  })
})
