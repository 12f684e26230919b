import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Application } from '@/lib/backend/application'
import type { Database } from '@/lib/platform/db/database'
import { parseAddress } from '@/lib/uma/address'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { appAt } from '@/test/vasp/app-at'
import { newKeyPair } from '@/test/vasp/keys'
import { expectSound, tally } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { idOf, makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { payToAddress } from './service'

const COPIES = 20
const REFUSED = [400, { code: 'OTHER', message: 'This Idempotency-Key was used for another payment.' }]

/** Sends the request to the given instance. */
const payBy = (vasp: TestVasp, token: string, key: string | undefined, body: unknown): Promise<Answer> =>
  vasp.post('/payments/lud16', token, body, key === undefined ? {} : { 'Idempotency-Key': key })

describeOnPostgres('A payment to an address with one key, through two instances,', (server) => {
  const instances: TestVasp[] = []
  let db: Database
  let payer: string
  let bob: string
  let token: string

  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const pair = newKeyPair()
    for (let each = 0; each < 2; each++) instances.push(await makeTestVasp(await openPatiently(databaseUrl), {}, pair))
    db = first().app.db
  })
  beforeEach(async () => {
    payer = await newUser(first(), { USD: 10_000n, SAT: 0n })
    bob = await newUser(first(), { EUR: 0n, SAT: 0n })
    token = await first().connectionToken(payer, ['pay_to_address'])
  })
  afterEach(() => expectSound(db))
  afterAll(() => Promise.all(instances.map(({ app }) => app.db.close())))

  const first = (): TestVasp => {
    const [vasp] = instances
    if (vasp === undefined) throw new Error('no instance')
    return vasp
  }
  const body = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
    receiver_address: `$${bob}@localhost:3000`,
    sending_currency_code: 'USD',
    sending_currency_amount: 1_000,
    receiving_currency_code: 'EUR',
    ...over,
  })
  const copies = (key: string): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: COPIES }, (_, index) => payBy(instances[index % 2] ?? first(), token, key, body())),
    )
  const balances = async (): Promise<[bigint, bigint]> => [
    (await walletOf(db, payer, 'USD')).available,
    (await walletOf(db, bob, 'EUR')).available,
  ]
  const readOf = (answers: readonly Answer[]): Set<string> => new Set(answers.map((each) => JSON.stringify(each.body)))

  test('is made once for twenty simultaneous requests, with twenty equal answers', async () => {
    const answers = await copies('order-1')
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(readOf(answers).size).toBe(1)
    expect(readOf([await payBy(first(), token, 'order-1', body())])).toEqual(readOf(answers))
    expect(await balances()).toEqual([9_000n, 920n])
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['another amount', () => body({ sending_currency_amount: 1_001 })],
    ['another receiver', () => body({ receiver_address: `$${payer}@localhost:3000` })],
    ['another receiving currency', () => body({ receiving_currency_code: 'SAT' })],
    ['no receiving currency', () => body({ receiving_currency_code: null })],
  ])('is refused for %s, and nothing moves', async (_, other) => {
    expect((await payBy(first(), token, 'order-2', body())).status).toBe(200)
    const refused = await payBy(first(), token, 'order-2', other())
    expect([refused.status, refused.body]).toEqual(REFUSED)
    expect(await balances()).toEqual([9_000n, 920n])
  })

  test('is refused for the second of two different simultaneous requests', async () => {
    const both = await Promise.all(
      [1_000, 2_000].map((amount, index) =>
        payBy(instances[index] ?? first(), token, 'order-3', body({ sending_currency_amount: amount })),
      ),
    )
    expect(tally(both)).toEqual({ 200: 1, 400: 1 })
  })

  test('reports the budget amount in the currency of the repeated request', async () => {
    const asked = await payBy(first(), token, 'order-4', body({ budget_currency_code: 'EUR' }))
    expect(asked.body.total_budget_currency_amount).toBe(920)
    const again = await payBy(first(), token, 'order-4', body())
    expect([again.body.preimage, again.body.total_budget_currency_amount]).toEqual([asked.body.preimage, 1_000])
  })

  test('is a separate payment with another key, through another connection, or without a key', async () => {
    const other = await first().connectionToken(payer, ['pay_to_address'])
    const all = [
      await payBy(first(), token, 'a', body()),
      await payBy(first(), token, 'b', body()),
      await payBy(first(), other, 'a', body()),
      await payBy(first(), token, undefined, body()),
      await payBy(first(), token, undefined, body()),
    ]
    expect(tally(all)).toEqual({ 200: 5 })
    expect(readOf(all).size).toBe(5)
    expect((await balances())[0]).toBe(5_000n)
    expect((await payBy(first(), token, 'with blanks', body())).status).toBe(400)
  })

  test('whose quote expired unpaid is paid once, through a new quote', async () => {
    const connectionId = idOf(token)
    const wallet = await walletOf(db, payer, 'USD')
    // The application's clock is a quarter of an hour slow, so the quote has expired by the database's clock.
    const late: Application = appAt(first(), new Date(Date.now() - 900_000))
    const payment = {
      username: payer,
      connectionId,
      wallet,
      receivingCode: 'EUR',
      address: parseAddress(`$${bob}@localhost:3000`),
      totalSendingAmount: 1_000n,
      beforePaying: () => {},
      key: 'order-6',
    }
    await expect(payToAddress(late, payment)).rejects.toMatchObject({ message: /expired/ })
    const answers = await copies('order-6')
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(readOf(answers).size).toBe(1)
    expect(await balances()).toEqual([9_000n, 920n])
  })
})
