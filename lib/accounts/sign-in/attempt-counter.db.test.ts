import { beforeEach, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnBothEngines } from '@/test/databases/databases'
import { withStillClock } from '@/test/databases/still-clock'
import { deleteOldAttempts, makeAttemptCounter, type AttemptCounter } from './attempt-counter'

const settings = { nextAuthSecret: 's'.repeat(32), instance: 'northbank' }
const POLICY = { freeAttempts: 5, firstWaitSeconds: 2, maxWaitSeconds: 300, forgottenAfterSeconds: 900 }

describeOnBothEngines('The count of wrong passwords', (db) => {
  let still: Database
  let counter: AttemptCounter
  const run = <Row>(text: string): Promise<Row[]> => db().query<Row>({ name: '', text })
  const pass = (seconds: number): Promise<unknown> =>
    run(`update password_attempts set allowed_at = allowed_at - interval '${seconds} seconds',
           forgotten_at = forgotten_at - interval '${seconds} seconds'`)
  const rows = async (): Promise<number> =>
    Number((await run<{ count: bigint }>('select count(*) from password_attempts'))[0]?.count)
  const guess = async (count: number, key = 'alice'): Promise<void> => {
    for (let number = 0; number < count; number++) {
      expect(await counter.begin(key)).toHaveProperty('number')
      await pass(await counter.waitSeconds(key))
    }
  }

  beforeEach(async () => {
    still = withStillClock(db())
    counter = makeAttemptCounter({ db: still, settings }, 'sign-in', POLICY)
    await run('delete from password_attempts')
  })

  it('imposes a wait from the fifth wrong password on: 2 seconds, doubled each time up to 5 minutes', async () => {
    const waits: number[] = []
    for (let count = 0; count < 14; count++) {
      await counter.begin('alice')
      waits.push(await counter.waitSeconds('alice'))
      await pass(waits.at(-1) ?? 0)
    }
    expect(waits).toEqual([0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  it('does not include an attempt that has to wait', async () => {
    await guess(4)
    await counter.begin('alice')
    for (let count = 0; count < 3; count++) expect(await counter.begin('alice')).toEqual({ waitSeconds: 2 })
    expect(await counter.waitSeconds('alice')).toBe(2)
  })

  it('is separate for each key, purpose and instance', async () => {
    await guess(7)
    await counter.begin('alice')
    expect(await counter.waitSeconds('alice')).toBeGreaterThan(0)
    const others = [
      makeAttemptCounter({ db: still, settings }, 'team', POLICY),
      makeAttemptCounter({ db: still, settings: { ...settings, instance: 'southbank' } }, 'sign-in', POLICY),
    ]
    expect(await counter.begin('bob')).toEqual({ number: 1 })
    for (const other of others) expect(await other.begin('alice')).toEqual({ number: 1 })
  })

  it('starts again after a correct password, and fifteen minutes after the last wrong one', async () => {
    await guess(8)
    await counter.forget('alice')
    expect(await counter.begin('alice')).toEqual({ number: 1 })
    await guess(7)
    await pass(880)
    expect(await counter.begin('alice')).toEqual({ number: 9 })
    await pass(900)
    expect(await counter.begin('alice')).toEqual({ number: 1 })
  })

  it('stays in force after days of guesses', async () => {
    await guess(1)
    await run('update password_attempts set wrong = 100000')
    expect(await counter.begin('alice')).toEqual({ number: 100_001 })
    expect(await counter.waitSeconds('alice')).toBe(300)
  })

  it('excludes a withdrawn attempt, but keeps the wait that a later attempt imposed', async () => {
    await guess(6)
    const first = await counter.begin('alice')
    expect(first).toEqual({ number: 7 })
    await counter.withdraw('alice', 7)
    expect(await counter.begin('alice')).toEqual({ number: 7 })
    await pass(8)
    expect(await counter.begin('alice')).toEqual({ number: 8 })
    await counter.withdraw('alice', 7)
    expect(await counter.waitSeconds('alice')).toBe(16)
  })

  it('stores no names, and only keys of the same length', async () => {
    await counter.begin('correct horse battery staple')
    await counter.begin('x'.repeat(9_000))
    const stored = await run<{ key_hash: string }>('select * from password_attempts')
    expect(stored.map(({ key_hash }) => key_hash.length)).toEqual([43, 43])
    expect(
      JSON.stringify(stored, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain('horse')
  })

  it('keeps a bounded number of rows in a flood of ten thousand names: the latest ones, and none that has expired', async () => {
    // The latest ones are known by the time.
    counter = makeAttemptCounter({ db: db(), settings }, 'sign-in', POLICY)
    await guess(1, 'forgotten')
    await pass(900)
    await guess(1, 'withdrawn')
    await counter.withdraw('withdrawn', 1)
    await run(`insert into password_attempts (key_hash, wrong, allowed_at, forgotten_at)
      select rpad(n::text, 43, 'x'), 1, now(), now() + interval '15 minutes' from generate_series(1, 9000) n`)
    for (let from = 0; from < 1_000; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => counter.begin(`name-${from + index}`)))
    expect(await rows()).toBe(10_002)
    await deleteOldAttempts(db())
    expect(await rows()).toBe(10_000)
    await deleteOldAttempts(db(), 500)
    expect(await rows()).toBe(500)
    expect(await counter.begin('name-999')).toEqual({ number: 2 })
    expect(await counter.begin('name-0')).toEqual({ number: 1 })
    await pass(900)
    await deleteOldAttempts(db())
    expect(await rows()).toBe(0)
  })

  it('keeps real counts in a flood of withdrawn attempts', async () => {
    await guess(4)
    await run(`insert into password_attempts (key_hash, wrong, allowed_at, forgotten_at)
      select rpad(n::text, 43, 'x'), 0, now(), now() + interval '1 hour' from generate_series(1, 200) n`)
    await deleteOldAttempts(db(), 100)
    expect(await rows()).toBe(1)
    expect(await counter.begin('alice')).toEqual({ number: 5 })
  })
})
