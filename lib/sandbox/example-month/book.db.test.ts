import { beforeEach, expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { readWallets } from '@/lib/ledger/accounts'
import type { Database } from '@/lib/platform/db/database'
import { allActivity, type Movement } from '@/lib/wallets/activity'
import { describeWithBackups } from '@/test/databases/databases'
import { recomputeBooks } from '@/test/vasp/books'
import { newNodeSecret } from '@/test/vasp/keys'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { bookMonth, openingOfMonth } from './book'
import { MONTH } from './movements'

const NOW = new Date('2026-05-20T13:14:15.678Z')
const OPENED = new Date('2026-04-19T00:00:00Z')
const USERS = ['alice', 'bob', 'yuki', 'khalid', 'penny']

describeWithBackups('The example month', (create) => {
  let db: Database
  let vasp: TestVasp
  const nodeKeyHex = newNodeSecret()

  beforeEach(async () => {
    db = await (await create()).open()
    vasp = await makeTestVasp(db)
    await seedUsers(db, 'sandbox', testPasswords)
    return () => db.close()
  })

  const book = (on: Database, openedAt: Date): Promise<void> =>
    bookMonth(
      { db: on, house: vasp.app.house, rates: vasp.app.rates.current(), settings: vasp.app.settings, nodeKeyHex },
      openedAt,
    )
  const open = async (): Promise<Date> => {
    const openedAt = await openingOfMonth(db, NOW)
    await seedOpeningBalances(db, vasp.app.house, openedAt)
    return openedAt ?? NOW
  }
  const movements = async (): Promise<Movement[]> => {
    const all: Movement[] = []
    for (const user of USERS) for await (const slice of allActivity(db, user, {})) all.push(...slice)
    return all
  }
  const balances = async () => {
    const wallets = (await Promise.all(USERS.map((user) => readWallets(db, user)))).flat()
    return wallets.map(({ code, available, held }) => `${code} ${available} ${held}`)
  }
  const OPENING = [
    'USD 124050 0',
    'EUR 86000 0',
    'SAT 300000000 0',
    'SAT 250000000 0',
    'JPY 15000 0',
    'KWD 75000 0',
    'USD 0 0',
  ]

  it('books some thirty movements of the last month, and each wallet ends with its opening balance', async () => {
    expect(MONTH).toHaveLength(31)
    const openedAt = await open()
    expect(openedAt).toEqual(OPENED)
    await book(db, openedAt)
    expect(await balances()).toEqual(OPENING)
    const all = await movements()
    // Six opening balances, and two sides of each movement.
    expect(all).toHaveLength(6 + 2 * MONTH.length)
    expect(all.every(({ at }) => at >= OPENED && at < NOW)).toBe(true)
    for (const user of USERS) {
      const times: number[] = []
      for await (const slice of allActivity(db, user, {})) times.push(...slice.map(({ at }) => at.getTime()))
      expect(times.length).toBeGreaterThan(3)
      expect(times).toEqual(times.toSorted((a, b) => b - a))
    }
    expect(all.filter(({ memo }) => memo === 'Rent')).toMatchObject([
      { party: '$bob@localhost:3000', amount: -12_000n, at: new Date('2026-04-22T10:30:00Z') },
      { party: '$alice@localhost:3000', amount: 120_000_000n },
    ])
    expect(await recomputeBooks(db)).toEqual([])
    expect(await vasp.app.audit.run('everything')).toMatchObject({ breaches: [] })
  })

  it('books nothing at a second start, on whatever day that is', async () => {
    await book(db, await open())
    const before = await movements()
    expect(await openingOfMonth(db, new Date('2026-07-01T00:00:00Z'))).toEqual(OPENED)
    await book(db, await open())
    expect(await movements()).toEqual(before)
  })

  it('does not begin in a database whose wallets were opened at its first start', async () => {
    await seedOpeningBalances(db, vasp.app.house)
    expect(await openingOfMonth(db, NOW)).toBeUndefined()
  })

  it('is complete after a start that was interrupted at any statement', async () => {
    const openedAt = await open()
    for (let statements = 1; statements <= 16; statements += 1) {
      let left = statements
      const stopping = new Proxy(db, {
        get: (target, name) =>
          name === 'query'
            ? (...args: Parameters<Database['query']>) => {
                if (left === 0) throw new Error('stopped')
                left -= 1
                return target.query(...args)
              }
            : (Reflect.get(target, name) as unknown),
      })
      await expect(book(stopping, openedAt)).rejects.toThrow('stopped')
    }
    await book(db, openedAt)
    expect(await movements()).toHaveLength(6 + 2 * MONTH.length)
    expect(await balances()).toEqual(OPENING)
    expect(await recomputeBooks(db)).toEqual([])
  })
})
