import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnTwoDatabases } from '@/test/databases'
import { newPerson } from '@/test/money'
import { startTwoVasps, type TwoVasps } from '@/test/uma/two-vasps'

describeOnTwoDatabases('A payment to an address at another VASP', (northDb, southDb) => {
  const asked: { north: string[]; south: string[] } = { north: [], south: [] }
  let both: TwoVasps

  beforeAll(async () => {
    const watched = (db: Database, side: 'north' | 'south'): Database => ({
      ...db,
      query(statement, params) {
        asked[side].push(statement.name)
        return db.query(statement, params)
      },
    })
    both = await startTwoVasps(watched(northDb(), 'north'), watched(southDb(), 'south'))
  })
  afterAll(() => both.stop())

  test('takes at most 13 statements at the payer and 9 at the receiver', async () => {
    const { north, south } = both
    const token = await north.connectionToken(await newPerson(north, { SAT: 10n ** 9n }), ['pay_to_address'])
    const receiver = `$${await newPerson(south, { SAT: 0n })}@${south.domain}`
    const pay = async (): Promise<number> => {
      const body = { receiver_address: receiver, sending_currency_code: 'SAT', sending_currency_amount: 1_000 }
      return (await north.post('/payments/lud16', token, body)).status
    }
    // The first payment fetches keys and the peer's books.
    expect(await pay()).toBe(200)
    asked.north.length = asked.south.length = 0
    expect(await pay()).toBe(200)
    expect(asked.north.length, asked.north.join(' ')).toBeLessThanOrEqual(13)
    expect(asked.south.length, asked.south.join(' ')).toBeLessThanOrEqual(9)
  })
})
