import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CurrencyCode } from '@/lib/money/currencies'
import { toLedgerUnits } from '@/lib/money/ledger-units'
import { createUmaInvoice } from '@/lib/uma/invoices/create'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { expectSound, houseBalance } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import type { Answer } from '@/test/vasp/vasp'
import { awaitResult } from '../payments/service'
import { executeQuote } from './service'
import { previewUmaInvoice, quoteUmaInvoice } from './uma-invoice'

/** Two, no and three decimals, and satoshis. */
const CODES = ['EUR', 'JPY', 'KWD', 'SAT'] as const
/** The smallest amount, an amount from a bug report, and 9,999. The unit test of the same name tries every currency and amount up to 10,000. */
const AMOUNTS = [1n, 100n, 9_999n] as const
const SIDES = ['sending', 'receiving'] as const
const COMMANDS = ['fetch_quote', 'execute_quote', 'pay_to_address']
const RICH = Object.fromEntries(CODES.map((code) => [code, 10n ** 8n])) as Record<CurrencyCode, bigint>
const POOR = Object.fromEntries(CODES.map((code) => [code, 0n])) as Record<CurrencyCode, bigint>

describeOnTwoDatabases('A payment within one currency, without fees', (northDb, southDb) => {
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: string
  let token: string
  let carol: string
  let bob: string

  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
    ;({ north, south } = both)
    alice = await newUser(north, RICH)
    token = await north.connectionToken(alice, COMMANDS)
    carol = await newUser(north, POOR)
    bob = await newUser(south, POOR)
  })
  afterAll(() => both.stop())

  const remote = (): string => `$${bob}@${south.domain}`
  const own = (): string => `$${carol}@${north.domain}`
  const quote = (receiver: string, code: CurrencyCode, side: string, amount: bigint): Promise<Answer> => {
    const query = {
      sending_currency_code: code,
      receiving_currency_code: code,
      locked_currency_amount: String(amount),
      locked_currency_side: side,
      receiver_address: receiver,
    }
    return north.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
  }
  const balances = async (code: CurrencyCode): Promise<bigint[]> => [
    (await walletOf(northDb(), alice, code)).available,
    (await walletOf(northDb(), carol, code)).available,
    (await walletOf(southDb(), bob, code)).available,
  ]
  /** The changes of the payer's wallet and of both receivers' wallets, in smallest units. */
  const movedBy = async (code: CurrencyCode, work: () => Promise<unknown>): Promise<bigint[]> => {
    const [before, rounding] = [await balances(code), await roundings()]
    await work()
    const after = await balances(code)
    const [northCost = 0n, southCost = 0n] = (await roundings()).map((now, at) => now - (rounding[at] ?? 0n))
    expect([0n, -1n]).toContain(northCost)
    expect(southCost).toBe(0n)
    return after.map((now, at) => (now - (before[at] ?? 0n)) / toLedgerUnits(1n, code))
  }
  const roundings = async (): Promise<bigint[]> => [
    await houseBalance(northDb(), 'rounding'),
    await houseBalance(southDb(), 'rounding'),
  ]

  describe.each(CODES)('of %s', (code) => {
    afterAll(async () => {
      await expectSound(northDb())
      await expectSound(southDb())
    })

    test.each(SIDES)('credits exactly the quoted and debited amount at another VASP, %s side locked', async (side) => {
      for (const amount of AMOUNTS) {
        const { status, body } = await quote(remote(), code, side, amount)
        const units = Number(amount)
        expect([status, body.total_sending_amount, body.total_receiving_amount, body.fees, body.multiplier]).toEqual([
          200,
          units,
          units,
          0,
          1,
        ])
        const moved = await movedBy(code, async () => {
          const paid = await north.post(`/quote/${String(body.payment_hash)}`, token, { budget_currency_code: code })
          expect([paid.status, paid.body.total_budget_currency_amount]).toEqual([200, units])
        })
        expect(moved).toEqual([-amount, 0n, amount])
      }
    })

    test.each(SIDES)('credits exactly the quoted and debited amount at the same VASP, %s side locked', async (side) => {
      for (const amount of AMOUNTS) {
        const { body } = await quote(own(), code, side, amount)
        const moved = await movedBy(code, () => north.post(`/quote/${String(body.payment_hash)}`, token, {}))
        expect(moved).toEqual([-amount, amount, 0n])
      }
    })

    test('credits exactly what pay_to_address debits', async () => {
      for (const amount of AMOUNTS) {
        const moved = await movedBy(code, async () => {
          const { status, body } = await north.post('/payments/lud16', token, {
            receiver_address: remote(),
            sending_currency_code: code,
            sending_currency_amount: Number(amount),
            receiving_currency_code: code,
          })
          expect([status, body.total_budget_currency_amount]).toEqual([200, Number(amount)])
        })
        expect(moved).toEqual([-amount, 0n, amount])
      }
    })

    test('credits exactly what a UMA invoice names and costs', async () => {
      for (const [vasp, username, at] of [
        [south, bob, 2],
        [north, carol, 1],
      ] as const) {
        for (const amount of AMOUNTS) {
          const { encoded } = await createUmaInvoice(vasp.app, { username, code, amount, expirySeconds: 600 })
          const look = await previewUmaInvoice(north.app, alice, encoded)
          if (look.kind === 'problem') throw new Error(look.message)
          const wallet = await walletOf(northDb(), alice, code)
          const priced = await quoteUmaInvoice(north.app, { username: alice, wallet, payable: look.payable })
          expect([priced.totalSendingAmount, priced.totalReceivingAmount]).toEqual([amount, amount])
          const moved = await movedBy(code, async () => {
            const { paymentHash } = priced
            const { result } = await executeQuote(north.app, { username: alice, connectionId: null, paymentHash })
            await awaitResult(north.app, result, 'quote')
          })
          expect(moved).toEqual([-amount, at === 1 ? amount : 0n, at === 2 ? amount : 0n])
        }
      }
    })
  })
})
