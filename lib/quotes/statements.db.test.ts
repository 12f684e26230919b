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

  test('asks the payer’s database ten times and the receiver’s six', async () => {
    const { north, south } = both
    const token = await north.connectionToken(await newPerson(north, { SAT: 10n ** 9n }), ['pay_to_address'])
    const receiver = `$${await newPerson(south, { SAT: 0n })}@${south.domain}`
    const pay = async (): Promise<number> => {
      const body = { receiver_address: receiver, sending_currency_code: 'SAT', sending_currency_amount: 1_000 }
      return (await north.post('/payments/lud16', token, body)).status
    }
    // Keys, and what the nodes say of each other's books.
    expect(await pay()).toBe(200)
    asked.north.length = asked.south.length = 0
    expect(await pay()).toBe(200)
    expect(asked).toEqual({
      north: [
        'connection_callers',
        'uma_person_beside_nonce',
        'uma_hash_is_used_beside_nonce',
        'insert_quote',
        'quote_to_pay',
        'hold_payment',
        'mark_sending',
        'begin_send',
        'end_send',
        'settle_payment',
      ],
      south: [
        'uma_person_beside_nonce',
        'uma_payee_beside_nonce',
        'create_requested_invoice',
        'invoice_to_credit',
        'receive_payment',
        'is_receipt_booked',
      ],
    })
  })
})
