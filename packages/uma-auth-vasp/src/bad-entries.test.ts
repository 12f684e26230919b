import { describe, expect, it, vi } from 'vitest'
import {
  CALLS,
  createTestVasp,
  CURRENCIES,
  HASH,
  PREIMAGE,
  TRANSACTION,
  type Backend,
  type TestCall,
} from '../test/memory-bank'
import type { ReceiverCurrency, Transaction } from './backend'
import { COMMANDS } from './commands'

const OTHER = { ...TRANSACTION, paymentHash: 'ef'.repeat(32) }
const EURO: ReceiverCurrency = {
  code: 'EUR',
  symbol: '€',
  name: 'Euro',
  decimals: 2,
  multiplier: 9_000,
  min: 1n,
  max: 9n,
}

async function answerTo(call: TestCall, changes: Partial<Backend>) {
  const bank = createTestVasp(changes)
  const answer = await bank.call({ ...call, token: await bank.connectionToken() })
  const causes = bank.logged.map(({ fields }) => (fields as { err: Error }).err.message)
  return { ...answer, causes, logged: bank.logged }
}

describe('a bad entry of a list is left out, and logged with its id:', () => {
  it.each<[string, Partial<Record<keyof Transaction, unknown>>]>([
    ['no amount', { amountMsats: 0n }],
    ['a negative amount', { amountMsats: -5n }],
    ['an amount beyond 2^53', { amountMsats: 2n ** 53n }],
    ['a number as the amount', { amountMsats: 5 }],
    ['negative fees', { feesPaidMsats: -1n }],
    ['an unknown type', { type: 'internal' }],
    ['a date as the time', { createdAtSeconds: new Date(0) }],
    ['a missing description', { description: undefined }],
  ])('a transaction with %s', async (_, wrong) => {
    const bad = { ...OTHER, ...wrong } as Transaction
    const { status, body, causes } = await answerTo(
      { path: '/transactions' },
      { listTransactions: () => [bad, TRANSACTION, bad] },
    )
    expect(status).toBe(200)
    expect(body.transactions).toMatchObject([{ payment_hash: HASH }])
    expect(causes).toEqual(Array(2).fill(expect.stringContaining(`transaction ${OTHER.paymentHash}`)))
  })

  it.each<[string, Partial<ReceiverCurrency>]>([
    ['a code of four characters', { code: 'USDC' }],
    ['an empty code', { code: '' }],
    ['a multiplier of 0', { multiplier: 0 }],
    ['a multiplier that is no number', { multiplier: NaN }],
    ['a minimum of 0', { min: 0n }],
    ['a maximum beyond 2^53', { max: 2n ** 60n }],
    ['decimals below 0', { decimals: -1 }],
  ])('a receiver’s currency with %s', async (_, wrong) => {
    const lookupUser = () => [{ ...EURO, ...wrong }, EURO]
    const { status, body, causes } = await answerTo({ path: '/receiver/lud16/$bob@vasp.example' }, { lookupUser })
    expect(status).toBe(200)
    expect(body.currencies).toMatchObject([{ currency: { code: 'EUR' } }])
    expect(causes).toEqual([expect.stringContaining(`receiver currency ${wrong.code ?? 'EUR'}`)])
  })

  it('a currency of /info, while one is left', async () => {
    const offer = { code: 'USD', multiplier: 10_000, min: 1n, max: 10n } as const
    const infoOf = (...currencies: object[]) => ({
      getInfo: () => ({ pubkey: '', network: 'regtest', currencies }) as never,
    })
    const bad = [
      { ...offer, code: 'XXX' },
      { ...offer, min: 0n },
    ]
    const { status, body, causes } = await answerTo({ path: '/info' }, infoOf(...bad, offer))
    expect(status).toBe(200)
    expect(body.currencies).toMatchObject([{ currency: CURRENCIES[0], min: 1 }])
    expect(causes).toEqual([expect.stringContaining('currency XXX'), expect.stringContaining('currency USD')])
    expect((await answerTo({ path: '/info' }, infoOf(...bad))).status).toBe(500)
  })
})

it('an overdraft is no available money, and is logged with its user', async () => {
  const { status, body, causes } = await answerTo(
    { path: '/balance' },
    { getBalance: () => ({ amount: -250n, currencyCode: 'USD' }) },
  )
  expect([status, body.balance, body.currency]).toEqual([200, 0, CURRENCIES[0]])
  expect(causes).toEqual([expect.stringContaining('user alice')])
})

describe('the budget currency', () => {
  const BODIES = {
    payInvoice: { method: 'POST', path: '/payments/bolt11', body: { invoice: 'lnbcrt1' } },
    payKeysend: { method: 'POST', path: '/payments/keysend', body: { amount: 1, pubkey: `02${HASH}` } },
  } as const

  it.each(['payInvoice', 'payKeysend'] as const)(
    'of %s is SAT, or undefined where the VASP has no SAT',
    async (method) => {
      const given: unknown[] = []
      const pay = (_caller: unknown, input: { readonly budgetCurrencyCode: unknown }) => {
        given.push(input.budgetCurrencyCode)
        return { preimage: PREIMAGE, totalBudgetAmount: 1n }
      }
      for (const currencies of [CURRENCIES, [CURRENCIES[0]]]) {
        const { call, connectionToken } = createTestVasp({ [method]: pay }, { currencies })
        expect((await call({ ...BODIES[method], token: await connectionToken() })).status).toBe(200)
      }
      expect(given).toEqual(['SAT', undefined])
    },
  )
})

describe('Idempotency-Key', () => {
  const KEYED = [
    'make_invoice',
    'pay_invoice',
    'pay_keysend',
    'fetch_quote',
    'execute_quote',
    'pay_to_address',
  ] as const

  it.each(KEYED)('reaches the method of %s, and is refused when it is not valid', async (name) => {
    const command = COMMANDS.find((each) => each.name === name)
    const method = command?.backendMethod ?? 'getInfo'
    const spy = vi.fn<(...call: readonly unknown[]) => unknown>(() => createTestVasp().backend[method])
    const { call, connectionToken } = createTestVasp({ [method]: spy })
    const given = { ...CALLS[name], token: await connectionToken() }
    await call({ ...given, headers: { 'Idempotency-Key': 'order-17' } })
    expect(spy.mock.calls[0]?.[2]).toMatchObject({ idempotencyKey: 'order-17' })
    expect((await call({ ...given, headers: { 'Idempotency-Key': 'a b' } })).status).toBe(400)
    expect(spy).toHaveBeenCalledTimes(1)
  })
})
