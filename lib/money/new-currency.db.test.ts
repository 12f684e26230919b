import { beforeAll, describe, expect, test, vi } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newKeyPair, newNodeSecret } from '@/test/vasp/keys'
import { expectSound } from '@/test/vasp/leaving'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import type { openHouseAccounts } from '../ledger/accounts'
import type { CurrencyCode } from './currencies'
import type * as currencyList from './currency-list'

/** The added line, with the code that ISO 4217 reserves for tests: 0.88 XTS for one US dollar. */
const LINE = { XTS: { symbol: 'Fr', name: 'Test Franc', decimals: 2, price: [1_000_000n, 88n] } }
const XTS = 'XTS' as CurrencyCode
const HOUSE_KINDS = ['faucet', 'fees', 'fx', 'lightning', 'rounding']
const COMMANDS = ['fetch_quote', 'execute_quote', 'pay_to_address', 'get_budget', 'get_balance']

interface Modules {
  readonly makeTestVasp: typeof makeTestVasp
  readonly openHouseAccounts: typeof openHouseAccounts
}

/** Loads all modules again, as in a new version whose currency list has one more line. */
async function withOneLineMore(): Promise<Modules> {
  vi.resetModules()
  vi.doMock('./currency-list', async (importOriginal) => {
    const list = await importOriginal<typeof currencyList>()
    return { ...list, CURRENCY_LIST: { ...list.CURRENCY_LIST, ...LINE } }
  })
  return { ...(await import('@/test/vasp/vasp')), ...(await import('../ledger/accounts')) }
}

describeOnBothEngines('A database that is older than a currency', (db) => {
  const pair = newKeyPair()
  const env = { LIGHTNING_NODE_KEY: newNodeSecret() }
  let older: TestVasp
  let newer: TestVasp
  let modules: Modules
  let alice: string
  let token: string
  let bob: string
  /** The payment hashes of two quotes that the older version issued. It paid the second. */
  let openQuote: string
  let paidQuote: string

  const quote = (vasp: TestVasp, over: Record<string, string> = {}): Promise<Answer> => {
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: 'EUR',
      locked_currency_amount: '1000',
      locked_currency_side: 'sending',
      receiver_address: `$${bob}@localhost:3000`,
      ...over,
    }
    return vasp.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
  }
  const execute = (vasp: TestVasp, hash: string, code: string): Promise<Answer> =>
    vasp.post(`/quote/${hash}`, token, { budget_currency_code: code })
  const houseKinds = async (): Promise<string[]> => {
    const text = 'select kind from ledger_accounts where wallet_id is null and currency_code = $1 order by kind'
    const rows = await db().query<{ kind: string }>({ name: 'test_house_kinds', text }, [XTS])
    return rows.map(({ kind }) => kind)
  }

  beforeAll(async () => {
    older = await makeTestVasp(db(), env, pair)
    alice = await newUser(older, { USD: 100_000n })
    bob = await newUser(older, { EUR: 0n })
    token = await older.connectionToken(alice, COMMANDS)
    openQuote = String((await quote(older)).body.payment_hash)
    paidQuote = String((await quote(older)).body.payment_hash)
    expect((await execute(older, paidQuote, 'USD')).status).toBe(200)
    expect([(await execute(older, openQuote, XTS)).status, await houseKinds()]).toEqual([400, []])
    modules = await withOneLineMore()
    newer = await modules.makeTestVasp(db(), env, pair)
  })

  test('gets the house accounts at the next start, once, even when several instances start at the same time', async () => {
    expect(await houseKinds()).toEqual(HOUSE_KINDS)
    const text = 'select last_value from ledger_accounts_id_seq'
    const drawn = (): Promise<unknown> => db().query({ name: 'test_drawn_ids', text })
    const before = await drawn()
    await Promise.all(Array.from({ length: 10 }, () => modules.openHouseAccounts(db())))
    expect([await houseKinds(), await drawn()]).toEqual([HOUSE_KINDS, before])
  })

  describe('answers in the new currency', () => {
    test('for a quote that was issued before the currency was added and is executed afterwards', async () => {
      // 10.00 USD is 8.80 XTS at the new line's rate; the quote's own rates do not include XTS.
      const paid = await execute(newer, openQuote, XTS)
      expect(paid).toMatchObject({ status: 200, body: { total_budget_currency_amount: 880 } })
      expect(await execute(newer, openQuote, XTS)).toMatchObject({ status: 200, body: paid.body })
      await expectSound(db())
    })

    test('for a payment that was completed before the currency was added and is looked up again', async () => {
      expect(await execute(newer, paidQuote, XTS)).toMatchObject({
        status: 200,
        body: { total_budget_currency_amount: 880 },
      })
    })

    test('with an estimate that covers the debit of a payment', async () => {
      const query = { sending_currency_code: 'USD', sending_currency_amount: '1000', budget_currency_code: XTS }
      const estimate = await newer.get(`/budget_estimate?${new URLSearchParams(query)}`, token)
      expect(estimate).toMatchObject({ status: 200, body: { estimated_budget_currency_amount: 880 } })
      const paid = await newer.post('/payments/lud16', token, {
        receiver_address: `$${bob}@localhost:3000`,
        sending_currency_code: 'USD',
        sending_currency_amount: 1_000,
        budget_currency_code: XTS,
      })
      expect(paid).toMatchObject({ status: 200, body: { total_budget_currency_amount: 880 } })
    })
  })

  test('has wallets in the new currency that can pay and be paid', async () => {
    const carol = await newUser(newer, { [XTS]: 0n })
    const carols = await newer.connectionToken(carol, COMMANDS)
    const toFranc = { receiving_currency_code: XTS, receiver_address: `$${carol}@localhost:3000` }
    const { body } = await quote(newer, toFranc)
    expect(body).toMatchObject({ total_receiving_amount: 880, receiving_currency: { code: XTS, name: 'Test Franc' } })
    expect((await execute(newer, String(body.payment_hash), XTS)).status).toBe(200)
    const balance = async (): Promise<unknown> =>
      (await newer.get(`/balance?currency_code=${XTS}`, carols)).body.balance
    expect(await balance()).toBe(880)
    const paid = await newer.post('/payments/lud16', carols, {
      receiver_address: `$${bob}@localhost:3000`,
      sending_currency_code: XTS,
      sending_currency_amount: 880,
    })
    expect(paid).toMatchObject({ status: 200, body: { total_budget_currency_amount: 880 } })
    expect(await balance()).toBe(0)
    await expectSound(db())
  })
})
