import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { CURRENCY_CODES, rateOf } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { openRates } from './rate-snapshot'

const stored = (db: Database): Promise<{ id: string }[]> =>
  db.query({ name: 'test_snapshots', text: 'select id from rate_snapshots order by id' })

describeOnBothEngines('rate snapshots', (db) => {
  it('are stored once, however often and in however many processes the same rates are opened', async () => {
    const [first] = await Promise.all(Array.from({ length: 10 }, () => openRates(db())))
    const once = await stored(db())
    expect(once.map(({ id }) => id)).toEqual([first?.current().snapshotId])
    await openRates(db())
    expect(await stored(db())).toEqual(once)
  })

  it('are read from the database as the exact fractions that were stored', async () => {
    const { snapshotId } = (await openRates(db())).current()
    const text = JSON.stringify(
      CURRENCY_CODES.map((code) => [code, String(rateOf(code).numerator), String(rateOf(code).denominator)]),
    )
    expect(snapshotId).toBe(createHash('sha256').update(text).digest('hex'))
    // The copy has another id, so that it is read from the database and not from the cache.
    const copy = {
      name: 'test_copy',
      text: `insert into rate_snapshots (id, rates) select 'copy', rates from rate_snapshots where id = $1`,
    }
    await db().query(copy, [snapshotId])
    const table = await (await openRates(db())).ofSnapshot('copy')
    for (const code of CURRENCY_CODES) expect(table(code)).toEqual(rateOf(code))
  })

  it('keep integers that a JSON number would round', async () => {
    await db().query({
      name: 'test_large',
      text: `insert into rate_snapshots (id, rates) values ('large', '[["USD", "9007199254740993", "9007199254740995"]]'::jsonb)`,
    })
    const table = await (await openRates(db())).ofSnapshot('large')
    expect(table('USD')).toEqual({ numerator: 9_007_199_254_740_993n, denominator: 9_007_199_254_740_995n })
  })

  it('of another day keep their own prices next to today’s', async () => {
    await db().query({
      name: 'test_yesterday',
      text: `insert into rate_snapshots (id, rates) values ('yesterday', '[["USD", "5000", "1"]]'::jsonb)`,
    })
    const rates = await openRates(db())
    expect((await rates.ofSnapshot('yesterday'))('USD').numerator).toBe(5_000n)
    expect((await rates.ofSnapshot(rates.current().snapshotId))('USD')).toEqual(rateOf('USD'))
  })

  it('use today’s rate for a currency that was added later, and their own for the others', async () => {
    const rates = await openRates(db())
    await db().query({
      name: 'test_older',
      text: `insert into rate_snapshots (id, rates) values ('older', '[["USD", "5000", "1"]]'::jsonb)`,
    })
    const table = await rates.ofSnapshot('older')
    expect([table('KWD'), table('USD').numerator]).toEqual([rateOf('KWD'), 5_000n])
  })

  it('throw for an unknown id', async () => {
    await expect((await openRates(db())).ofSnapshot('nothing')).rejects.toThrow('no rate snapshot nothing')
  })
})
