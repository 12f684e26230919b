import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type TwoVasps } from '@/test/uma/two-vasps'
import { newUser } from '@/test/vasp/money'

/** The database, and the names of the statements that the process has sent: each is one round trip and one transaction. */
function recording(db: Database): { readonly db: Database; readonly sent: string[] } {
  const sent: string[] = []
  return {
    sent,
    db: {
      ...db,
      query: (statement, params) => {
        sent.push(statement.name)
        return db.query(statement, params)
      },
    },
  }
}

describeOnTwoDatabases('The statements of a payment to an address at another VASP', (northDb, southDb) => {
  let both: TwoVasps
  let north: ReturnType<typeof recording>
  let south: ReturnType<typeof recording>
  let token: string
  let address: string

  beforeAll(async () => {
    ;[north, south] = [recording(northDb()), recording(southDb())]
    both = await startTwoVasps(north.db, south.db)
    const alice = await newUser(both.north, { USD: 1_000_000n })
    const bob = await newUser(both.south, { EUR: 0n })
    address = `$${bob}@${both.south.domain}`
    token = await both.north.connectionToken(alice, ['lookup_user', 'fetch_quote', 'execute_quote', 'pay_to_address'])
    // The keys of both VASPs are fetched, and the connection was just used.
    await pay()
  })
  afterAll(() => both.stop())
  beforeEach(() => void (north.sent.length = south.sent.length = 0))

  const pay = async (): Promise<unknown> => {
    const body = {
      receiver_address: address,
      sending_currency_code: 'USD',
      sending_currency_amount: 100,
      budget_currency_code: 'USD',
    }
    const { status } = await both.north.post('/payments/lud16', token, body)
    return expect(status).toBe(200)
  }

  test('are seven at the payer and five at the payee', async () => {
    await pay()
    expect(north.sent).toEqual([
      'connection_callers',
      'insert_quote',
      'hold_payment',
      'mark_sending',
      'begin_send',
      'end_send',
      'settle_payment',
    ])
    expect(south.sent).toEqual([
      'uma_user_of_message',
      'uma_user_of_message',
      'create_invoice_for_domain',
      'invoice_to_credit',
      'receive_payment',
    ])
  })
})
