import { randomUUID } from 'node:crypto'
import { addressOf } from 'uma-auth-vasp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listInvoices, type InvoiceState } from '@/lib/invoices/queries'
import type { CurrencyCode } from '@/lib/money/currencies'
import { createUmaInvoice } from '@/lib/uma/invoices/create'
import { findUmaInvoice, listUmaInvoices } from '@/lib/uma/invoices/queries'
import { countOpenRequests, listRequests } from '@/lib/uma/invoices/requests'
import { sendUmaRequest } from '@/lib/uma/invoices/send-request'
import { pullFaucet } from '@/lib/wallets/service'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { expectSound } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { awaitResult } from '../payments/service'
import { executeQuote } from './service'
import type { Quote } from './types'
import { isMeantAsUmaInvoice, previewUmaInvoice, quoteUmaInvoice } from './uma-invoice'

describe('a text', () => {
  test.each([
    ['uma1qqx', true],
    ['UMA1QQX', true],
    ['uma://uma1qqx', true],
    ['$uma1@bank.example', false],
    ['lnbcrt1', false],
    ['umami', false],
  ])('%s is recognized as a UMA invoice: %s', (text, meant) => expect(isMeantAsUmaInvoice(text)).toBe(meant))
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
    alice = await newUser(north, { USD: 100_000n })
    bob = await newUser(south, { JPY: 0n })
  })

  const quoteOf = async (encoded: string, code: CurrencyCode = 'USD'): Promise<Quote> => {
    const username = alice
    const look = await previewUmaInvoice(north.app, username, encoded)
    if (look.kind === 'problem') throw new Error(look.message)
    const wallet = await walletOf(northDb(), username, code)
    return quoteUmaInvoice(north.app, { username, wallet, payable: look.payable })
  }
  const pay = async (paymentHash: string): Promise<void> => {
    const { result } = await executeQuote(north.app, { username: alice, connectionId: null, paymentHash })
    await awaitResult(north.app, result, 'quote')
  }
  const invoice = (over: Partial<Parameters<typeof createUmaInvoice>[1]> = {}) =>
    createUmaInvoice(south.app, { username: bob, code: 'JPY', amount: 1_001n, expirySeconds: 3_600, ...over })

  test('credits exactly the amount it names, for a price in the payer’s currency', async () => {
    const quote = await quoteOf((await invoice()).encoded)
    // 1,001 yen are exactly 6,500,000 msats, which are 650 cents.
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

  test('that was paid the maximum number of times receives no price', async () => {
    const { encoded } = await invoice()
    await pay((await quoteOf(encoded)).paymentHash)
    await expect(quoteOf(encoded)).rejects.toMatchObject({ status: 400, code: 'OTHER' })
  })

  test('for one payer receives no price for another payer', async () => {
    const { encoded } = await invoice({ sender: `$somebody@${north.domain}` })
    await expect(quoteOf(encoded)).rejects.toMatchObject({ status: 400, code: 'OTHER' })
  })

  test('that came as a request can be paid by the user who received the request', async () => {
    await sendUmaRequest(south.app, {
      username: bob,
      code: 'JPY',
      amount: 500n,
      expirySeconds: 3_600,
      sender: `$${alice}@${north.domain}`,
    })
    const [request] = await listRequests(north.app.db, alice)
    const open = await countOpenRequests(north.app.db, alice)
    expect(open).toBeGreaterThan(0)
    expect(request).toMatchObject({ amount: 500n, state: 'open', currency: { code: 'JPY' } })
    const { paymentHash } = await quoteOf(request?.encoded ?? '')
    await pay(paymentHash)
    expect((await walletOf(southDb(), bob, 'JPY')).available).toBe(500n)
    expect(await countOpenRequests(north.app.db, alice)).toBe(open - 1)
    // The paid invoice is listed only with the UMA invoices, not with the Lightning invoices.
    expect(await listInvoices(south.app.db, bob, 'paid')).toEqual([])
    expect(await listUmaInvoices(south.app.db, bob, 'paid')).toMatchObject([{ amount: 500n }])
    expect((await listRequests(north.app.db, alice))[0]).toMatchObject({ state: 'paid', paymentHash })
  })

  const ask = async (vasp: ServedVasp, username: string, code: string): Promise<string> => {
    const sender = addressOf(alice, north.domain)
    const asked = { username, code, amount: 500n, expirySeconds: 3_600, sender }
    return (await sendUmaRequest(vasp.app, asked)).encoded
  }
  const request = async () => (await listRequests(north.app.db, alice))[0]

  test('that came as a request is recognized with its scheme, and marks the request as paid when pasted in capitals', async () => {
    const encoded = await ask(south, bob, 'JPY')
    const quote = await quoteOf(`uma://${encoded}`)
    expect(quote.umaInvoice).toBe(encoded)
    await pay((await quoteOf(encoded.toUpperCase())).paymentHash)
    expect(await request()).toMatchObject({ state: 'paid' })
  })

  test('from a user of the same VASP is stored with its price and marks its request as paid', async () => {
    const carol = await newUser(north, { EUR: 0n })
    const encoded = await ask(north, carol, 'EUR')
    const quote = await quoteOf(encoded)
    expect(quote).toMatchObject({ protocol: 'own', umaInvoice: encoded })
    await pay(quote.paymentHash)
    expect(await request()).toMatchObject({ state: 'paid', paymentHash: quote.paymentHash })
    expect((await walletOf(northDb(), carol, 'EUR')).available).toBe(500n)
  })

  test('that the wallet cannot pay leaves its request open, and can be paid at the same price once there is enough money', async () => {
    alice = await newUser(north, { USD: 0n, SAT: 0n })
    const quote = await quoteOf(await ask(south, bob, 'JPY'))
    await expect(pay(quote.paymentHash)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
    expect(await request()).toMatchObject({ state: 'open', paymentHash: null })
    await pullFaucet(north.app, alice, 'USD', randomUUID())
    await pay(quote.paymentHash)
    expect(await request()).toMatchObject({ state: 'paid', paymentHash: quote.paymentHash })
  })

  test('receives a new price for another wallet and is paid once: the earlier price is void', async () => {
    alice = await newUser(north, { USD: 100_000n, EUR: 100_000n })
    const dollars = await quoteOf(await ask(south, bob, 'JPY'))
    const euros = await quoteOf(dollars.umaInvoice ?? '', 'EUR')
    await pay(euros.paymentHash)
    await expect(pay(dollars.paymentHash)).rejects.toMatchObject({ status: 400 })
    expect((await walletOf(southDb(), bob, 'JPY')).available).toBe(500n)
    expect(await request()).toMatchObject({ state: 'paid', paymentHash: euros.paymentHash })
  })

  test('is listed for its creator only, as open, paid or expired, with its payer', async () => {
    const [paid, open, expired] = [await invoice(), await invoice({ maxPayments: 2 }), await invoice()]
    await pay((await quoteOf(paid.encoded)).paymentHash)
    await pay((await quoteOf(open.encoded)).paymentHash)
    await southDb().query(
      { name: 'test_end_one', text: 'update uma_invoices set expires_at = now() where uuid = $1::uuid returning id' },
      [expired.uuid],
    )
    const listed = async (state: InvoiceState, username = bob) =>
      (await listUmaInvoices(south.app.db, username, state)).map(({ uuid, payer }) => [uuid, payer])
    const payer = `$${alice}@${north.domain}`
    expect(await listed('open')).toEqual([[open.uuid, payer]])
    expect(await listed('paid')).toEqual([[paid.uuid, payer]])
    expect(await listed('expired')).toEqual([[expired.uuid, null]])
    expect(await findUmaInvoice(south.app.db, bob, paid.uuid)).toMatchObject({
      state: 'paid',
      paidAt: expect.any(Date),
    })
    const stranger = await newUser(south, { JPY: 0n })
    for (const state of ['open', 'paid', 'expired'] as const) expect(await listed(state, stranger)).toEqual([])
    expect(await findUmaInvoice(south.app.db, stranger, paid.uuid)).toBeNull()
  })

  test.each(['uma1', 'uma1qqqqqqqq', 'uma://nothing'])('is reported as invalid when its text is %s', async (text) => {
    const look = await previewUmaInvoice(north.app, alice, text)
    expect(look.kind).toBe('problem')
  })
})
