import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createUmaInvoice } from '@/lib/uma/uma-invoices/create'
import { listRequests } from '@/lib/uma/uma-invoices/requests'
import { sendUmaRequest } from '@/lib/uma/uma-invoices/send-request'
import { describeOnTwoDatabases } from '@/test/databases'
import { expectSound } from '@/test/leaving'
import { newPerson, walletOf } from '@/test/money'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { endOf } from '../payments/outcome'
import { executeQuote } from './execute'
import type { Quote } from './quote'
import { isMeantAsUmaInvoice, lookAtUmaInvoice, quoteUmaInvoice } from './uma-invoice'

describe('a text', () => {
  test.each([
    ['uma1qqx', true],
    ['UMA1QQX', true],
    ['uma://uma1qqx', true],
    ['$uma1@bank.example', false],
    ['lnbcrt1', false],
    ['umami', false],
  ])('%s is meant as a UMA invoice: %s', (text, meant) => expect(isMeantAsUmaInvoice(text)).toBe(meant))
})

describeOnTwoDatabases('A UMA invoice that is quoted', (northDb, southDb) => {
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: string
  let bob: string

  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
    ;({ north, south } = both)
  })
  afterAll(() => both.stop())
  beforeEach(async () => {
    alice = await newPerson(north, { USD: 100_000n })
    bob = await newPerson(south, { JPY: 0n })
  })

  const quoteOf = async (encoded: string, username = alice): Promise<Quote> => {
    const look = await lookAtUmaInvoice(north.deps, username, encoded)
    if (look.kind === 'problem') throw new Error(look.message)
    const wallet = await walletOf(northDb(), username, 'USD')
    return quoteUmaInvoice(north.deps, { username, wallet, payable: look.payable })
  }
  const pay = async (paymentHash: string): Promise<void> => {
    const { result } = await executeQuote(north.deps, { username: alice, connectionId: null, paymentHash })
    await endOf(north.deps, result)
  }
  const invoice = (over: Partial<Parameters<typeof createUmaInvoice>[1]> = {}) =>
    createUmaInvoice(south.deps, { username: bob, code: 'JPY', amount: 1_001n, expirySeconds: 3_600, ...over })

  test('brings its receiver exactly what it names, for a price in the payer’s currency', async () => {
    const quote = await quoteOf((await invoice()).encoded)
    // 1,001 yen are 6,500,000 msats to the millisatoshi: 650 cents.
    expect(quote).toMatchObject({
      receiverAddress: `$${bob}@${south.domain}`,
      lockedSide: 'receiving',
      totalSendingAmount: 650n,
      totalReceivingAmount: 1_001n,
      receivingCurrency: { code: 'JPY', decimals: 0 },
    })
    await pay(quote.paymentHash)
    expect((await walletOf(northDb(), alice, 'USD')).available).toBe(100_000n - 650n)
    expect((await walletOf(southDb(), bob, 'JPY')).available).toBe(1_001n)
    await expectSound(northDb())
    await expectSound(southDb())
  })

  test('that was paid as often as it may be has no second price', async () => {
    const { encoded } = await invoice()
    await pay((await quoteOf(encoded)).paymentHash)
    await expect(quoteOf(encoded)).rejects.toMatchObject({ status: 400, code: 'OTHER' })
  })

  test('for one payer has no price for another', async () => {
    const { encoded } = await invoice({ sender: `$somebody@${north.domain}` })
    await expect(quoteOf(encoded)).rejects.toMatchObject({ status: 400, code: 'OTHER' })
  })

  test('that came as a request is paid by whoever was asked', async () => {
    await sendUmaRequest(south.deps, {
      username: bob,
      code: 'JPY',
      amount: 500n,
      expirySeconds: 3_600,
      sender: `$${alice}@${north.domain}`,
    })
    const [request] = await listRequests(north.deps, alice)
    expect(request).toMatchObject({ amount: 500n, state: 'open', currency: { code: 'JPY' } })
    await pay((await quoteOf(request?.encoded ?? '')).paymentHash)
    expect((await walletOf(southDb(), bob, 'JPY')).available).toBe(500n)
  })

  test.each(['uma1', 'uma1qqqqqqqq', 'uma://nothing'])('is none in %s, which is said', async (text) => {
    const look = await lookAtUmaInvoice(north.deps, alice, text)
    expect(look.kind).toBe('problem')
  })
})
