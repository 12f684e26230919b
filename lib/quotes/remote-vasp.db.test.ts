import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { priceError, QUOTE_ERRORS } from '@/app/(dashboard)/wallets/send/errors'
import type { CurrencyCode } from '@/lib/money/currencies'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { expectSound, impatient, statesOf, untilIs, untilUnknown } from '@/test/vasp/leaving'
import { expectNothingMoved, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { remoteReceiver, type RemoteReceiver } from '@/test/vasp/receivers'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { decodeInvoice } from '../lightning/bolt11'
import { findPayment, listOpenPayments } from '../payments/queries'
import { isVaspError } from '../platform/errors'
import type { InvoiceOffer, InvoiceRequest } from '../uma/client/types'
import { declineRequest, listRequests } from '../uma/invoices/requests'
import { readStatement } from '../wallets/queries'
import { errorKey } from '../web/form-errors'
import { createQuote, quoteOffer, type QuoteRequest } from './create'
import { priceProblem } from './errors'
import { quoteOfPayment } from './queries'
import type { Quote } from './types'

/** The operator charges 1.00 % for a conversion and 0.50 % for an outgoing payment. */
const FEES = { FX_SPREAD_BPS: '100', ROUTING_FEE_BPS: '50' }

describeOnBothEngines('A quote to another VASP', (db) => {
  let node: ScriptedNode
  let free: TestVasp
  let dear: TestVasp
  let receiver: RemoteReceiver
  let payer: string
  let token: string

  beforeAll(async () => {
    node = makeScriptedNode()
    const env = { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }
    free = await makeTestVasp(db(), env, undefined, node)
    dear = await makeTestVasp(db(), { ...env, ...FEES }, free.pair, node)
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 0n
    receiver = remoteReceiver(node, 'EUR')
    payer = await newUser(free, { USD: 100_000n, SAT: 5_000_000n })
    token = await free.connectionToken(payer, ['execute_quote', 'pay_invoice', 'lookup_invoice'])
  })
  afterEach(() => expectSound(db()))

  const quote = async (over: Partial<QuoteRequest> & { code?: CurrencyCode } = {}, vasp = free): Promise<Quote> => {
    const { code = 'USD', ...request } = over
    const wallet = await walletOf(db(), payer, code)
    const usual = {
      username: payer,
      connectionId: null,
      wallet,
      lockedSide: 'receiving',
      lockedAmount: 1_000n,
    } as const
    return createQuote(vasp.app, receiver, { ...usual, ...request })
  }
  const execute = (hash: string, vasp = free): Promise<Answer> => vasp.post(`/quote/${hash}`, token, {})
  const balances = async (code: CurrencyCode = 'USD'): Promise<[bigint, bigint]> => {
    const { available, held } = await walletOf(db(), payer, code)
    return [available, held]
  }
  const unmoved = (work: () => Promise<unknown>): Promise<void> => expectNothingMoved(db(), work)

  describe('is paid', () => {
    test('for exactly its total, with the residue in the rounding account', async () => {
      // 10.00 EUR are 10,869,565.2 msats, and 1,086.96 cents.
      const { paymentHash, totalSendingAmount, fees } = await quote()
      expect([totalSendingAmount, fees]).toEqual([1_087n, 0n])
      const { status, body } = await execute(paymentHash)
      expect([status, body.total_budget_currency_amount]).toEqual([200, 1_087])
      expect(await balances()).toEqual([100_000n - 1_087n, 0n])
      expect(node.sent.at(-1)).toMatchObject({ paymentHash, amountMsats: 10_869_566n, feeLimitMsats: 0n })
      expect(await moved(paymentHash)).toMatchObject({ 'node SAT': 10_869_566n, 'rounding SAT': 434n })
    })

    test.each([
      [{ tag: 'message', message: 'Thank you' }],
      [{ tag: 'url', description: 'Order', url: 'https://shop.example/1' }],
      [{ tag: 'aes', description: 'Code', ciphertext: 'AAAA', iv: 'AAAAAAAAAAAAAAAAAAAAAA==' }],
      [null],
    ] as const)('and keeps what the receiver sends for the payer: %j', async (successAction) => {
      const plain = receiver
      receiver = {
        ...plain,
        requestInvoice: async (asked) => ({ ...(await plain.requestInvoice(asked)), successAction }),
      }
      const made = await quote()
      expect((await execute(made.paymentHash)).status).toBe(200)
      const payment = await findPayment(db(), payer, made.paymentHash)
      if (payment === null) throw new Error('no payment')
      expect((await quoteOfPayment(db(), payment))?.successAction).toEqual(successAction)
    })

    test.each([
      ['', undefined, null],
      [' \u200b\n', undefined, null],
      ['Order 7', undefined, 'Order 7'],
      ['', 'for lunch', 'for lunch'],
      ['Order 7', '  ', 'Order 7'],
    ])('and its line names the recipient, with the memo %j and the comment %j', async (memo, comment, shown) => {
      node.memo = memo
      receiver = Object.assign(remoteReceiver(node, 'EUR'), { commentLength: 40 })
      node.script = 'in flight'
      const { paymentHash } = await quote(comment === undefined ? {} : { comment })
      expect((await execute(paymentHash, impatient(free))).status).toBe(504)
      await expect.poll(() => node.stateOf(paymentHash), { interval: 10 }).toBe('in flight')
      expect(await listOpenPayments(db(), payer)).toMatchObject([{ receiverAddress: receiver.address.text }])
      await node.end(paymentHash, 'succeeded', 'tells')
      await untilIs(db(), paymentHash, 'succeeded')
      node.memo = 'a thing from afar'
      const [line] = (await readStatement(db(), payer, 'USD'))?.lines ?? []
      expect([line?.text, line?.memo]).toEqual(['Paid: to $remote@elsewhere.example', shown])
    })

    test('from SAT in whole satoshis, with the millisatoshis above the invoice as the residue', async () => {
      const { paymentHash, totalSendingAmount } = await quote({ code: 'SAT', lockedAmount: 100n })
      expect(totalSendingAmount).toBe(1_087n)
      await execute(paymentHash)
      expect(await balances('SAT')).toEqual([5_000_000n - 1_087_000n, 0n])
      expect(await moved(paymentHash)).toEqual({ 'node SAT': 1_086_957n, 'rounding SAT': 43n })
    })

    test('with the VASP’s fees added when the receiving side is locked, booked to the fees account', async () => {
      const made = await quote({}, dear)
      // 1 % and 0.5 % of 1,087, each rounded up.
      expect([made.totalSendingAmount, made.fees]).toEqual([1_087n + 11n + 6n, 17n])
      node.feeMsats = 20_000n
      await execute(made.paymentHash, dear)
      expect(await balances()).toEqual([100_000n - 1_104n, 0n])
      // The network fee is paid out of the VASP's fees.
      expect(await moved(made.paymentHash)).toMatchObject({
        'fees USD': 17n,
        'fees SAT': -20_000n,
        'lightning SAT': 20_000n,
      })
      expect(node.sent.at(-1)?.feeLimitMsats).toBe(60_000n)
      // The payer pays the fees of the quote, 17 cents, whatever the network fee is.
      expect((await free.get(`/invoices/${made.paymentHash}`, token)).body).toMatchObject({
        amount: Number(made.amountMsats),
        fees_paid: 170_000,
      })
    })

    test('with the VASP’s fees included when the sending side is locked', async () => {
      const made = await quote({ lockedSide: 'sending', lockedAmount: 1_104n }, dear)
      // Fees of 12 and 6 cents; the remaining 1,086 cents are sent.
      expect([made.totalSendingAmount, made.fees, made.amountMsats]).toEqual([1_104n, 18n, 10_860_000n])
      expect(made.totalReceivingAmount).toBe(999n)
      await execute(made.paymentHash, dear)
      expect(await balances()).toEqual([100_000n - 1_104n, 0n])
    })

    test('for the cost of the invoice when UMA 0 rounds it down to whole units', async () => {
      const whole = remoteReceiver(node, 'EUR')
      receiver = Object.assign(remoteReceiver(node, 'EUR'), {
        protocol: 'uma-0' as const,
        // The payer locks 10.00 USD; the request is for 9.00 EUR.
        requestInvoice: (request: InvoiceRequest) =>
          whole.requestInvoice({ ...request, lock: { side: 'receiving', units: 900n } }),
      })
      const made = await quote({ lockedSide: 'sending', lockedAmount: 1_000n })
      expect([made.totalSendingAmount, made.totalReceivingAmount, made.amountMsats]).toEqual([979n, 900n, 9_782_609n])
      await execute(made.paymentHash)
      expect(await balances()).toEqual([100_000n - 979n, 0n])
    })

    test('with the receiver’s fee included, shown in the sending currency, rounded up', async () => {
      receiver = remoteReceiver(node, 'EUR', 25_001n)
      const made = await quote()
      expect([made.totalSendingAmount, made.fees]).toEqual([1_090n, 3n])
      await execute(made.paymentHash)
      expect(await balances()).toEqual([100_000n - 1_090n, 0n])
    })

    test('with the fixed debit when a worker without the quote recovers the payment', async () => {
      node.script = 'reply lost'
      const made = await quote({}, dear)
      expect((await execute(made.paymentHash, impatient(dear))).status).toBe(504)
      await untilUnknown(db(), made.paymentHash)
      expect(await balances()).toEqual([100_000n - 1_104n, 1_104n])
      const text = `update payments set lease_expires_at = now() - interval '1 second' where payment_hash = $1`
      await db().query({ name: 'test_end_claim', text }, [made.paymentHash])
      await free.app.paymentWorker.reconcile()
      expect(await statesOf(db(), made.paymentHash)).toEqual(['succeeded'])
      expect(await balances()).toEqual([100_000n - 1_104n, 0n])
      expect(await moved(made.paymentHash)).toMatchObject({ 'fees USD': 17n })
      expect((await execute(made.paymentHash)).body).toMatchObject({ total_budget_currency_amount: 1_104 })
    })
  })

  describe('is refused, and nothing is held', () => {
    test('without enough money in its own wallet, whatever other wallets hold', async () => {
      const { paymentHash } = await quote({ lockedAmount: 100_000n })
      await unmoved(async () => {
        const { status, body } = await execute(paymentHash)
        expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE'])
      })
    })

    test('one second after its expiry', async () => {
      const then = new Date(Date.now() - 601_000)
      const wallet = await walletOf(db(), payer, 'USD')
      const asked = {
        username: payer,
        connectionId: null,
        wallet,
        lockedSide: 'receiving',
        lockedAmount: 1_000n,
      } as const
      const { paymentHash } = await createQuote({ ...free.app, clock: { now: () => then } }, receiver, asked)
      await unmoved(async () => {
        const { status, body } = await execute(paymentHash)
        expect([status, body]).toEqual([400, { code: 'OTHER', message: 'This quote has expired. Ask for a new one.' }])
      })
      expect(node.stateOf(paymentHash)).toBeUndefined()
    })

    test('when it is created with the hash of another quote, of a payment, or of an invoice of this VASP', async () => {
      const first = await quote()
      const paid = node.invoice(7_000n)
      expect((await free.post('/payments/bolt11', token, { invoice: paid.invoice })).status).toBe(200)
      const ours = await invoiceOf(free, payer, 'SAT', 7_000n)
      const offers: InvoiceOffer[] = []
      for (const hash of [first.paymentHash, paid.paymentHash, ours.paymentHash]) {
        receiver.answers = (offer) => {
          offers.push(offer)
          return { ...offer, invoice: { ...offer.invoice, paymentHash: hash } }
        }
        await unmoved(() => expect(quote()).rejects.toMatchObject({ status: 400, code: 'OTHER' }))
      }
      expect(offers).toHaveLength(3)
    })

    test.each<[string, (offer: InvoiceOffer) => InvoiceOffer]>([
      ['another amount', (offer) => ({ ...offer, amountMsats: offer.amountMsats + 1n })],
      ['an invoice of another amount', (offer) => ({ ...offer, invoice: { ...offer.invoice, amountMsats: 1n } })],
      [
        'an invoice without an amount',
        (offer) => ({ ...offer, invoice: { ...offer.invoice, amountMsats: undefined } }),
      ],
      ['more units than JSON represents exactly', (offer) => ({ ...offer, receivingUnits: 2n ** 53n })],
      [
        'a node without a route',
        (offer) => ({ ...offer, invoice: { ...offer.invoice, payee: `02${'ab'.repeat(32)}` } }),
      ],
    ])('when the remote VASP answers with %s', async (_what, answers) => {
      receiver.answers = answers
      await unmoved(async () => {
        await expect(quote()).rejects.toMatchObject({ status: 400 })
        await expect(quote({ lockedSide: 'sending' })).rejects.toMatchObject({ status: 400 })
      })
    })

    test('when each route costs more than the price includes for it', async () => {
      node.feeMsats = 1n
      await unmoved(async () => {
        const refused = { status: 400, message: expect.stringContaining('maximum network fee') as string }
        await expect(quote()).rejects.toMatchObject(refused)
        await expect(quote({ lockedSide: 'sending' })).rejects.toMatchObject(refused)
      })
      await quote({}, dear)
    })

    test('when the remote VASP would credit less than the locked amount', async () => {
      receiver.answers = (offer) => ({ ...offer, receivingUnits: offer.receivingUnits - 1n })
      await unmoved(() => expect(quote()).rejects.toMatchObject({ status: 400 }))
    })

    test('below the minimum of the receiving currency, with a message that names the minimum, and without requesting an invoice', async () => {
      // A satoshi is worth 0.092 euro cents.
      const refused = quote({ code: 'SAT', lockedSide: 'sending', lockedAmount: 10n })
      await expect(refused).rejects.toMatchObject({
        status: 400,
        code: 'OTHER',
        message: `The amount is too small: ${receiver.address.text} accepts at least 0.01 EUR in one payment.`,
      })
      const error: unknown = await refused.catch((reason: unknown) => reason)
      if (!isVaspError(error)) throw error
      expect(QUOTE_ERRORS[errorKey(priceError(priceProblem(error, 'price')))]).toMatch(
        /below the recipient’s minimum.*Enter a larger amount/,
      )
      expect(receiver.asked).toEqual([])
    })

    test('outside the receiver’s limits, without requesting an invoice', async () => {
      receiver = Object.assign(remoteReceiver(node, 'EUR'), { minMsats: 5_000_000n, maxMsats: 20_000_000n })
      for (const lockedAmount of [499n, 2_001n])
        await expect(quote({ lockedSide: 'sending', lockedAmount })).rejects.toMatchObject({ status: 400 })
      const [currency] = receiver.currencies
      if (currency === undefined) throw new Error('no currency')
      receiver = Object.assign(receiver, { currencies: [{ ...currency, min: 100n, max: 200_050n }] })
      for (const lockedAmount of [99n, 200_051n])
        await expect(quote({ lockedAmount })).rejects.toMatchObject({
          message: '$remote@elsewhere.example accepts between 1.00 and 2,000.50 EUR in one payment.',
        })
      expect(receiver.asked).toEqual([])
    })
  })

  test('accepts a comment that the receiver and the database accept, and requests no invoice for any other comment', async () => {
    receiver = Object.assign(remoteReceiver(node, 'EUR'), { commentLength: 400 })
    for (const comment of ['x'.repeat(401), '\0', '€'.repeat(400), '\ud800'])
      await expect(quote({ comment })).rejects.toMatchObject({ name: 'VaspError', status: 400 })
    expect(receiver.asked).toEqual([])
    expect((await quote({ comment: '😀'.repeat(150) })).comment).toBe('😀'.repeat(150))
  })

  test('expires no later than its invoice', async () => {
    receiver.answers = (offer) => {
      const decoding = decodeInvoice(node.invoice(offer.amountMsats, 60).invoice, 'regtest')
      return decoding.ok ? { ...offer, invoice: decoding.invoice } : offer
    }
    const { createdAt, expiresAt } = await quote()
    expect(expiresAt.getTime() - createdAt.getTime()).toBeLessThanOrEqual(60_000)
  })

  describe('of a UMA invoice that came as a request', () => {
    const umaInvoice = { encoded: 'uma1x', uuid: '' }
    beforeEach(async () => {
      umaInvoice.uuid = randomUUID()
      const text = `insert into uma_requests (user_id, receiver_address, uuid, encoded, amount, currency, expires_at)
                    values ($1, '$remote@elsewhere.example', $2::uuid, 'uma1x', 1000, '{}', now() + interval '1 hour') returning id`
      await db().query({ name: 'test_request', text }, [payer, umaInvoice.uuid])
    })
    const quoteIt = async (): Promise<Quote> => {
      const [currency] = receiver.currencies
      if (currency === undefined) throw new Error('no currency')
      const given = { username: payer, callbackId: randomUUID() }
      const lock = { side: 'receiving', units: 1_000n } as const
      const offer = await receiver.requestInvoice({ ...given, currency, lock, expirySeconds: 600 })
      const wallet = await walletOf(db(), payer, 'USD')
      const asked = {
        ...given,
        connectionId: null,
        wallet,
        lockedSide: lock.side,
        receiver,
        currency,
        offer,
        umaInvoice,
      }
      return (await quoteOffer(free.app, asked)).quote
    }
    const request = async () => (await listRequests(free.app.db, payer))[0]
    const decline = async (): Promise<void> => declineRequest(free.app.db, payer, (await request())?.id ?? 0n)

    test('whose payment failed leaves the request open for another payment; once paid, the request cannot be declined', async () => {
      node.script = 'fails'
      const [failed, other] = [await quoteIt(), await quoteIt()]
      expect((await execute(failed.paymentHash)).body.code).toBe('PAYMENT_FAILED')
      expect(await request()).toMatchObject({ state: 'open', paymentHash: null })
      node.script = 'arrives'
      expect((await execute(other.paymentHash)).status).toBe(200)
      expect(await request()).toMatchObject({ state: 'paid', paymentHash: other.paymentHash })
      await expect(decline()).rejects.toMatchObject({ status: 404 })
    })

    test('whose payment is pending counts as paid, so the request cannot be declined', async () => {
      node.script = 'in flight'
      const { paymentHash } = await quoteIt()
      await execute(paymentHash, impatient(free))
      expect(await request()).toMatchObject({ state: 'paid', paymentHash })
      await expect(decline()).rejects.toMatchObject({ status: 404 })
    })

    test('that is paid after a decline marks the request as paid', async () => {
      const { paymentHash } = await quoteIt()
      await decline()
      await decline()
      expect(await request()).toMatchObject({ state: 'declined', paymentHash: null })
      await execute(paymentHash)
      expect(await request()).toMatchObject({ state: 'paid', paymentHash })
    })

    test('that is paid does not mark a request with the same UUID from another address as paid', async () => {
      const text = `update uma_requests set receiver_address = '$other@elsewhere.example' where user_id = $1 returning id`
      await db().query({ name: 'test_request_of_another', text }, [payer])
      await execute((await quoteIt()).paymentHash)
      expect(await request()).toMatchObject({ state: 'open', paymentHash: null })
    })
  })

  test('requests an invoice that is valid for as long as the quote', async () => {
    await quote()
    expect(receiver.asked.at(-1)?.expirySeconds).toBe(free.app.settings.quoteSeconds)
  })

  test('applies its terms to its own payment only: paying the same invoice directly debits the invoice’s cost', async () => {
    node.feeMsats = 3_000n
    const { paymentHash } = await quote({ code: 'SAT' }, dear)
    const [row] = await db().query<{ invoice: string }>(
      { name: 'test_quote_invoice', text: 'select invoice from quotes where payment_hash = $1' },
      [paymentHash],
    )
    const rich = await newUser(free, { SAT: 50_000_000n })
    const other = await free.connectionToken(rich, ['pay_invoice'])
    const { status, body } = await free.post('/payments/bolt11', other, { invoice: row?.invoice })
    expect([status, body.total_budget_currency_amount]).toEqual([200, 10_873])
    const refused = await execute(paymentHash)
    expect([refused.status, refused.body.preimage]).toEqual([400, undefined])
  })

  /** The amounts that the payments of a hash moved on the operator's and the peer's accounts, by kind and currency. */
  async function moved(paymentHash: string): Promise<Record<string, bigint>> {
    const rows = await db().query<{ account: string; amount: bigint }>(
      {
        name: 'test_house_moves',
        text: `select a.kind || ' ' || a.currency_code as account, sum(p.amount)::bigint as amount
               from payments y join journal_entries e on e.payment_id = y.id
               join postings p on p.entry_id = e.id join ledger_accounts a on a.id = p.account_id
               where y.payment_hash = $1 and a.wallet_id is null group by 1`,
      },
      [paymentHash],
    )
    return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))
  }
})
