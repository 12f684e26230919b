import { describe, expect, it, vi } from 'vitest'
import { createTestVasp, CURRENCIES, HASH, ROOT, type Backend } from '../test/memory-bank'
import { WalletError } from './errors'
import type { Currency } from './index'
import { openApiDocument } from './openapi'

type Listed = readonly Currency<'USD' | 'SAT'>[]
const DOLLAR = CURRENCIES[0]
const YEN = { code: 'JPY', symbol: '¥', name: 'Yen', decimals: 0 } as unknown as typeof DOLLAR
const inYen = (amount: number): string =>
  `/budget_estimate?sending_currency_code=JPY&sending_currency_amount=${amount}&budget_currency_code=JPY`
const BODY = { receiver_address: '$bob@bank.example', sending_currency_code: 'USD', sending_currency_amount: 100 }
const PAY = { method: 'POST', path: '/payments/lud16', body: BODY }

/** A VASP whose list can be changed, and the number of times that it was asked. */
function withList(changes: Partial<Backend> = {}) {
  let list: unknown = CURRENCIES
  const currencies = vi.fn<() => Promise<Listed>>(async () => list as Listed)
  const bank = createTestVasp(changes, { currencies })
  return { ...bank, currencies, change: (to: unknown): void => void (list = to) }
}

describe('currencies as a function', () => {
  it('are the list of the moment: a new one can be used at once, and an old one no longer', async () => {
    const { call, connectionToken, change } = withList()
    const token = await connectionToken()
    expect((await call({ path: inYen(5), token })).status).toBe(400)
    change([DOLLAR, YEN])
    expect(await call({ path: inYen(5), token })).toMatchObject({
      status: 200,
      body: { estimated_budget_currency_amount: 101 },
    })
    expect((await call({ ...PAY, token })).status).toBe(200)
    change([YEN])
    expect((await call({ ...PAY, token })).status).toBe(400)
    expect((await call({ path: inYen(5), token })).status).toBe(200)
  })

  it('are not asked for a document, a call that is refused before, or a call that names no currency', async () => {
    const { call, connectionToken, currencies, vasp, loginToken } = withList()
    vasp.discovery()
    const token = await connectionToken(['get_info', 'make_invoice', 'lookup_invoice', 'list_transactions'])
    await call({ path: '/info' })
    await call({ path: '/balance', token })
    await call({ method: 'POST', path: '/token', token: await loginToken(), body: { permissions: ['get_info'] } })
    const answers = [
      await call({ path: '/transactions', token }),
      await call({ path: `/invoices/${HASH}`, token }),
      await call({ method: 'POST', path: '/invoice', token, body: { amount: 1_000 } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(currencies).not.toHaveBeenCalled()
    await call({ path: '/info', token })
    expect(currencies).toHaveBeenCalledTimes(1)
  })

  const never = new Promise<never>(() => undefined)
  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['true', () => true],
    ['a text', () => 'USD'],
    ['an object', () => ({ USD: DOLLAR })],
    ['an empty list', () => []],
    ['a list of codes', () => ['USD', 'SAT']],
    ['a list with null', () => [DOLLAR, null]],
    ['a code of four characters', () => [DOLLAR, { ...DOLLAR, code: 'USDC' }]],
    ['a code twice', () => [DOLLAR, DOLLAR]],
    ['no decimals', () => [{ ...DOLLAR, decimals: undefined }]],
    ['decimals of a half', () => [{ ...DOLLAR, decimals: 0.5 }]],
    ['no symbol', () => [{ code: 'USD', name: 'US Dollar', decimals: 2 }]],
    ['a rejected promise', () => Promise.reject(new Error('away'))],
    ['a promise that never settles', () => never],
    [
      'a thrown text',
      () => {
        throw 'away'
      },
    ],
  ])('answer 500, log and pay nothing when the answer is %s', async (_, currencies) => {
    const options = { currencies: currencies as never, callbackTimeoutSeconds: 0.02 }
    const { call, connectionToken, trace, logged, vasp, logins } = createTestVasp({}, options)
    expect((await call({ ...PAY, token: await connectionToken() })).status).toBe(500)
    expect(trace).not.toContain('payToAddress')
    expect(logged).toHaveLength(1)

    const url = `/login?redirect_uri=${encodeURIComponent(`${ROOT}/cb`)}`
    const sessionBinding = 'secret of this browser'
    const started = await vasp.login.start({ method: 'GET', url }, sessionBinding)
    if (started instanceof Response) throw new Error('the login was refused')
    const user = { id: 'alice', address: '$alice@bank.example', currencyCode: 'USD' }
    const finished = await vasp.login.finish({ method: 'POST', pending: started.pending, sessionBinding, user })
    expect([finished.status, logins.size, logged.length]).toEqual([500, 0, 2])
  })

  it('may refuse as the bank refuses', async () => {
    const currencies = () => {
      throw new WalletError('INTERNAL', 'The rates are being changed.', { retryAfterSeconds: 5 })
    }
    const { call, connectionToken } = createTestVasp({}, { currencies })
    expect((await call({ path: '/info', token: await connectionToken() })).status).toBe(503)
  })

  it('are used as they were checked, also when the list changes while the call runs', async () => {
    const list = [{ ...DOLLAR }] as { decimals: number }[]
    const getBalance = () => {
      for (const currency of list) currency.decimals = -1
      return { amount: 1n, currencyCode: 'USD' } as const
    }
    const { call, connectionToken } = createTestVasp({ getBalance }, { currencies: () => list as never })
    expect(await call({ path: '/balance', token: await connectionToken() })).toMatchObject({
      body: { currency: DOLLAR },
    })
  })

  it('are any codes in the OpenAPI document, which is made before the list is known', () => {
    const { vasp, currencies } = withList()
    const { schemas } = openApiDocument(vasp).components ?? {}
    expect(schemas?.CurrencyCode).toMatchObject({ type: 'string', minLength: 1, maxLength: 3 })
    expect(schemas?.CurrencyCode).not.toHaveProperty('enum')
    expect(currencies).not.toHaveBeenCalled()
  })
})
