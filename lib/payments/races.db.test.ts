import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import type { CurrencyCode } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import { isVaspError } from '@/lib/platform/errors'
import { exchange, pullFaucet } from '@/lib/wallets/service'
import { describeOnPostgres } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { openPatiently } from '@/test/databases/patient-database'
import { holdForPayment, releasePayment } from '@/test/vasp/held-payment'
import { newNodeSecret } from '@/test/vasp/keys'
import { booksOf, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { readWallets, type WalletAccount } from '../ledger/accounts'
import { payInvoice } from './pay-invoice'

/** 110 US cents. */
const SPEND_MSATS = 1_100_000n

describeOnPostgres('Handlers of concurrent requests', (server) => {
  const nodeSecretHex = newNodeSecret()
  let vasp: TestVasp
  let db: Database
  let url: string
  beforeAll(async () => {
    url = await server.createMigratedDatabase()
    db = await openPatiently(url)
    vasp = await makeTestVasp(db, { LIGHTNING_NODE_KEY: nodeSecretHex })
  })
  afterAll(() => db.close())
  afterEach(async () => {
    expect(await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db))).toEqual([])
  })

  const tokenOf = (username: string): Promise<string> =>
    vasp.connectionToken(username, ['pay_invoice', 'get_balance', 'lookup_invoice', 'list_transactions'])
  const pay = (token: string, invoice: string, more: Record<string, unknown> = {}, on = vasp): Promise<Answer> =>
    on.post('/payments/bolt11', token, { invoice, ...more })
  const available = async (username: string, code: CurrencyCode): Promise<bigint> =>
    (await walletOf(db, username, code)).available
  const invoicesOf = async (username: string, count: number, amountMsats: bigint): Promise<string[]> => {
    const made: string[] = []
    for (let index = 0; index < count; index++) made.push((await invoiceOf(vasp, username, 'SAT', amountMsats)).invoice)
    return made
  }
  const paymentsOf = async (username: string): Promise<number> =>
    Number(
      (
        await db.query<{ count: bigint }>(
          { name: 'test_payments_of', text: 'select count(*) from payments where user_id = $1' },
          [username],
        )
      )[0]?.count,
    )
  const statuses = (answers: readonly Answer[]): Record<number, number> => {
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  it.each<[CurrencyCode, bigint, bigint]>([
    ['USD', 1_100n, SPEND_MSATS],
    ['SAT', 1_100n, 110n],
  ])('make exactly ten of sixty payments of 110 from 1,100 in %s, and end at a balance of 0', async (...row) => {
    const [code, balance, amountMsats] = row
    const payer = await newUser(vasp, { [code]: balance })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const invoices = await invoicesOf(payee, 60, amountMsats)
    const answers = await Promise.all(invoices.map((invoice) => pay(token, invoice)))
    expect(statuses(answers)).toEqual({ 200: 10, 400: 50 })
    const refusals = answers.filter(({ status }) => status === 400)
    expect(refusals.every(({ body }) => body.code === 'INSUFFICIENT_BALANCE')).toBe(true)
    expect(await available(payer, code)).toBe(0n)
    expect(await available(payee, 'SAT')).toBe(10n * amountMsats)
  })

  it('debit one wallet once for a hundred copies of one payment, although others cover it too', async () => {
    const balances = { USD: 110n, EUR: 100_000n, SAT: 100_000_000n }
    const payer = await newUser(vasp, balances)
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', SPEND_MSATS)
    const answers = await Promise.all(Array.from({ length: 100 }, () => pay(token, invoice)))
    expect(statuses(answers)).toEqual({ 200: 100 })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(answers[0]?.body).toEqual({
      preimage: expect.stringMatching(/^[0-9a-f]{64}$/),
      total_budget_currency_amount: 1_100,
    })
    const left = (await readWallets(db, payer)).map((wallet) => [wallet.code, wallet.available])
    expect(Object.fromEntries(left)).toEqual({ ...balances, USD: 0n })
    expect(await available(payee, 'SAT')).toBe(SPEND_MSATS)
    expect(await paymentsOf(payer)).toBe(1)
  })

  it('use the next wallet that covers the amount when another payment empties the first', async () => {
    const payer = await newUser(vasp, { USD: 220n, EUR: 204n, SAT: 2n * SPEND_MSATS })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const invoices = await invoicesOf(payee, 6, SPEND_MSATS)
    // All six have chosen the USD wallet and wait for its lock.
    const answers = await atOnce(url, await walletOf(db, payer, 'USD'), 6, (index) => pay(token, invoices[index] ?? ''))
    expect(statuses(answers)).toEqual({ 200: 6 })
    expect((await readWallets(db, payer)).map((wallet) => wallet.available)).toEqual([0n, 0n, 0n])
    expect(await available(payee, 'SAT')).toBe(6n * SPEND_MSATS)
  })

  it('make one payment out of copies with different amounts for an invoice without an amount, and refuse the other amounts', async () => {
    const payer = await newUser(vasp, { SAT: 10_000_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const { invoice } = await invoiceOf(vasp, payee, 'SAT')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => pay(token, invoice, { amount: index % 2 === 0 ? 1_000 : 2_000 })),
    )
    expect(statuses(answers)).toEqual({ 200: 20, 400: 20 })
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.preimage)).size).toBe(1)
    expect(10_000_000n - (await available(payer, 'SAT'))).toBe(await available(payee, 'SAT'))
    expect(await paymentsOf(payer)).toBe(1)
  })

  it('let one of two users pay an invoice; the other is refused and gets no preimage', async () => {
    const payee = await newUser(vasp, { SAT: 0n })
    const payers = [await newUser(vasp, { SAT: 20_000_000n }), await newUser(vasp, { USD: 20_000n })]
    const tokens = await Promise.all(payers.map((payer) => tokenOf(payer)))
    const invoices = await invoicesOf(payee, 15, SPEND_MSATS)
    const pairs = await Promise.all(invoices.map((invoice) => Promise.all(tokens.map((token) => pay(token, invoice)))))
    for (const pair of pairs) {
      expect(statuses(pair)).toEqual({ 200: 1, 400: 1 })
      const refused = pair.find(({ status }) => status === 400)
      expect(refused?.body).toEqual({ code: 'OTHER', message: 'Another user has paid this invoice already.' })
      const preimage = pair.find(({ status }) => status === 200)?.body.preimage
      expect(JSON.stringify(refused?.body)).not.toContain(String(preimage))
    }
    expect(await available(payee, 'SAT')).toBe(15n * SPEND_MSATS)
  })

  it('pay an invoice that is about to expire once, for one of two users, or not at all', async () => {
    const payee = await newUser(vasp, { SAT: 0n })
    const payers = [await newUser(vasp, { SAT: 100_000_000n }), await newUser(vasp, { SAT: 100_000_000n })]
    const tokens = await Promise.all([...payers, ...payers].map((payer) => tokenOf(payer)))
    const expire = {
      name: 'test_expire',
      text: `update invoices set expires_at = clock_timestamp() + $2::interval where invoice = $1`,
    }
    let paid = 0
    for (const [index, invoice] of (await invoicesOf(payee, 30, SPEND_MSATS)).entries()) {
      await db.query(expire, [invoice, `${index} milliseconds`])
      const answers = await Promise.all(tokens.map((token) => pay(token, invoice)))
      const done = answers.flatMap(({ status }, place) => (status === 200 ? [payers[place % 2]] : []))
      expect(new Set(done).size).toBeLessThanOrEqual(1)
      paid += Math.min(done.length, 1)
      const reasons = answers.filter(({ status }) => status !== 200).map(({ body }) => String(body.message))
      for (const reason of reasons) expect(reason).toMatch(/^(This invoice has expired|Another user has paid)/)
    }
    expect(await available(payee, 'SAT')).toBe(BigInt(paid) * SPEND_MSATS)
    const left = await Promise.all(payers.map((payer) => available(payer, 'SAT')))
    expect(left.reduce((sum, each) => sum + each, 0n)).toBe(200_000_000n - BigInt(paid) * SPEND_MSATS)
  })

  it('return the stored answer on a retry and debit nothing, in any budget currency and with an empty wallet', async () => {
    const payer = await newUser(vasp, { USD: 110n })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', SPEND_MSATS)
    const first = await pay(token, invoice)
    const after = await booksOf(db)
    expect(await pay(token, invoice)).toMatchObject({ status: 200, body: first.body })
    expect(await pay(token, `lightning:${invoice.toUpperCase()}`)).toMatchObject({ status: 200, body: first.body })
    // Another connection of the user counts as the same payer.
    expect(await pay(await tokenOf(payer), invoice)).toMatchObject({ status: 200, body: first.body })
    const budgets: [string, number][] = [
      ['USD', 110],
      ['SAT', 1_100],
      ['EUR', 102],
      ['JPY', 170],
    ]
    for (const [budget_currency_code, total] of budgets) {
      const again = await pay(token, invoice, { budget_currency_code })
      expect(again).toMatchObject({
        status: 200,
        body: { preimage: first.body.preimage, total_budget_currency_amount: total },
      })
    }
    expect(await booksOf(db)).toEqual(after)
  })

  it('report the debit on a later retry at the rates of the payment', async () => {
    const payer = await newUser(vasp, { USD: 1_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', SPEND_MSATS)
    await db.query({
      name: 'test_that_day',
      text: `insert into rate_snapshots (id, rates) values ('that day', '[["SAT", "1000", "1"], ["USD", "20000", "1"]]'::jsonb)`,
    })
    const current = () => ({ ...vasp.app.rates.current(), snapshotId: 'that day' })
    const thatDay = { ...vasp.app, rates: { ...vasp.app.rates, current } }
    const wallets = await readWallets(db, payer)
    await payInvoice(thatDay, { username: payer, connectionId: null, wallets, invoice, amountMsats: undefined })
    const answer = await pay(await tokenOf(payer), invoice, { budget_currency_code: 'SAT' })
    expect(answer).toMatchObject({ status: 200, body: { total_budget_currency_amount: 2_200 } })
  })

  it('move nothing when a wallet pays its own invoice, even if amounts are rounded', async () => {
    for (const [code, amountMsats] of [
      ['SAT', 15_000n],
      ['USD', 20_000n],
      ['USD', 15_000n],
      ['JPY', 7_000n],
    ] as const) {
      const user = await newUser(vasp, { [code]: 1_000_000n })
      const { invoice, paymentHash } = await invoiceOf(vasp, user, code, amountMsats)
      const token = await tokenOf(user)
      expect(await pay(token, invoice)).toMatchObject({ status: 200 })
      expect(await available(user, code)).toBe(1_000_000n)
      const history = (await vasp.get('/transactions', token)).body.transactions as Record<string, unknown>[]
      expect(history.map(({ type, payment_hash, amount }) => [type, payment_hash, amount])).toEqual(
        expect.arrayContaining([
          ['incoming', paymentHash, Number(amountMsats)],
          ['outgoing', paymentHash, Number(amountMsats)],
        ]),
      )
    }
  })

  it('convert without a gain when a user pays their own invoice from another wallet, and show both sides', async () => {
    const user = await newUser(vasp, { USD: 1_000n, SAT: 0n })
    const { invoice, paymentHash } = await invoiceOf(vasp, user, 'SAT', 1_095_000n)
    const token = await tokenOf(user)
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(token, invoice)))
    expect(statuses(answers)).toEqual({ 200: 20 })
    expect([await available(user, 'USD'), await available(user, 'SAT')]).toEqual([890n, 1_095_000n])
    const history = (await vasp.get('/transactions', token)).body.transactions as Record<string, unknown>[]
    expect(history.map(({ type, payment_hash }) => `${String(type)} ${String(payment_hash)}`).toSorted()).toEqual([
      `incoming ${paymentHash}`,
      `outgoing ${paymentHash}`,
    ])
  })

  it('refuse an invoice with the hash of an invoice of this VASP but another amount or payee, and credit nothing', async () => {
    const payer = await newUser(vasp, { SAT: 100_000_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const { invoice, paymentHash, createdAtSeconds } = await invoiceOf(vasp, payee, 'SAT', 50_000_000n)
    const wrapping = {
      network: 'regtest' as const,
      paymentHash,
      paymentSecretHex: randomBytes(32).toString('hex'),
      amountMsats: 1_000n,
      description: undefined,
      descriptionHash: undefined,
      createdAtSeconds,
      expirySeconds: 3_600,
    }
    const wrapped = [
      encodeInvoice({ ...wrapping, network: 'regtest', nodeSecretHex: newNodeSecret() }),
      encodeInvoice({ ...wrapping, amountMsats: 50_000_000n, network: 'regtest', nodeSecretHex: newNodeSecret() }),
      encodeInvoice({ ...wrapping, nodeSecretHex }),
    ]
    const before = await booksOf(db)
    for (const each of wrapped) {
      expect(await pay(token, each)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
    }
    expect(await booksOf(db)).toEqual(before)
    // The same holds at the moment of the genuine payment, which is credited once and in full.
    const answers = await Promise.all([...wrapped, ...wrapped, invoice, ...wrapped].map((each) => pay(token, each)))
    expect(statuses(answers)).toEqual({ 200: 1, 400: 9 })
    expect(await available(payee, 'SAT')).toBe(50_000_000n)
    expect(await available(payer, 'SAT')).toBe(50_000_000n)
    // The payer of the genuine invoice gets no preimage for the wrapped one.
    expect(await pay(token, wrapped[0] ?? '')).toMatchObject({ status: 400, body: { code: 'OTHER' } })
  })

  it('answer 200 to two users who pay each other a hundred times each, and keep the totals right', async () => {
    const [a, b] = [await newUser(vasp, { SAT: 500_000_000n }), await newUser(vasp, { USD: 50_000n, SAT: 0n })]
    const [tokenA, tokenB] = [await tokenOf(a), await tokenOf(b)]
    const [toB, toA] = [await invoicesOf(b, 100, SPEND_MSATS), await invoicesOf(a, 100, SPEND_MSATS)]
    const answers = await Promise.all([
      ...toB.map((invoice) => pay(tokenA, invoice)),
      ...toA.map((invoice) => pay(tokenB, invoice)),
    ])
    expect(statuses(answers)).toEqual({ 200: 200 })
    expect(await available(a, 'SAT')).toBe(500_000_000n)
    expect([await available(b, 'USD'), await available(b, 'SAT')]).toEqual([50_000n - 11_000n, 100n * SPEND_MSATS])
  })

  it('keep the balance right when twenty workers pay from and to one user, and do not delay another user', async () => {
    const hot = await newUser(vasp, { SAT: 1_000_000_000n })
    const workers = await Promise.all(Array.from({ length: 20 }, () => newUser(vasp, { SAT: 100_000_000n })))
    const bystander = await newUser(vasp, { SAT: 100_000_000n })
    const other = await newUser(vasp, { SAT: 0n })
    const hotToken = await tokenOf(hot)
    const bystanderToken = await tokenOf(bystander)
    const work = async (worker: string): Promise<Answer[]> => {
      const token = await tokenOf(worker)
      const answers: Answer[] = []
      for (let round = 0; round < 5; round++) {
        answers.push(await pay(hotToken, (await invoiceOf(vasp, worker, 'SAT', 3_000_000n)).invoice))
        answers.push(await pay(token, (await invoiceOf(vasp, hot, 'SAT', 1_000_000n)).invoice))
      }
      return answers
    }
    const bystanding = async (): Promise<Answer[]> => {
      const answers: Answer[] = []
      for (const invoice of await invoicesOf(other, 10, 1_000_000n)) answers.push(await pay(bystanderToken, invoice))
      return answers
    }
    const answers = (await Promise.all([...workers.map(work), bystanding()])).flat()
    expect(statuses(answers)).toEqual({ 200: 210 })
    expect(await available(hot, 'SAT')).toBe(1_000_000_000n - 100n * 3_000_000n + 100n * 1_000_000n)
    for (const worker of workers) expect(await available(worker, 'SAT')).toBe(110_000_000n)
    expect(await available(other, 'SAT')).toBe(10_000_000n)
  })

  it('show only balances that whole payments leave, never negative and never above the total', async () => {
    const payer = await newUser(vasp, { USD: 6_600n })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await tokenOf(payer)
    const invoices = await invoicesOf(payee, 60, SPEND_MSATS)
    const valid = new Set(Array.from({ length: 61 }, (_, index) => 6_600n - 110n * BigInt(index)))
    const seen = await whileRunning(Promise.all(invoices.map((invoice) => pay(token, invoice))), async () => {
      const { available: now, held } = await walletOf(db, payer, 'USD')
      const { body } = await vasp.get('/balance', token)
      return { now, held, reported: BigInt(Number(body.balance)) }
    })
    for (const { now, held, reported } of seen) {
      expect(valid).toContain(now)
      expect(valid).toContain(reported)
      expect(held).toBe(0n)
    }
    expect(await available(payer, 'USD')).toBe(0n)
  })

  it('read available and held money in one snapshot, so that their sum never changes', async () => {
    const user = await newUser(vasp, { USD: 10_000n })
    const token = await tokenOf(user)
    const holding = Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let round = 0; round < 10; round++) {
          const { id } = await holdForPayment(vasp, user, 'USD', 700n)
          await releasePayment(vasp, id)
        }
      }),
    )
    const seen = await whileRunning(holding, async () => {
      const wallet = await walletOf(db, user, 'USD')
      const reported = BigInt(Number((await vasp.get('/balance', token)).body.balance))
      return { wallet, reported }
    })
    for (const { wallet, reported } of seen) {
      expect(wallet.available + wallet.held).toBe(10_000n)
      expect(wallet.available).toBeGreaterThanOrEqual(0n)
      expect(wallet.held).toBeGreaterThanOrEqual(0n)
      expect(reported).toBeGreaterThanOrEqual(3_000n)
      expect(reported).toBeLessThanOrEqual(10_000n)
    }
  })

  it('still credit the earlier invoices of a suspended user', async () => {
    const suspended = await newUser(vasp, { SAT: 10_000_000n })
    const otherToken = await tokenOf(await newUser(vasp, { SAT: 10_000_000n }))
    const [theirs] = await invoicesOf(suspended, 1, SPEND_MSATS)
    await db.query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = $1` }, [suspended])
    expect(await pay(otherToken, theirs ?? '')).toMatchObject({ status: 200 })
    expect(await available(suspended, 'SAT')).toBe(10_000_000n + SPEND_MSATS)
  })

  it('do not repeat a conversion or a faucet request whose answer was lost', async () => {
    const user = await newUser(vasp, { USD: 1_000n, SAT: 0n })
    const flaky = { ...vasp.app, db: losingTheAnswer(db, 'post_entry', 1) }
    const convert = (app: typeof vasp.app): Promise<bigint> =>
      exchange(app, { username: user, from: 'USD', to: 'SAT', amount: 600n, requestId: 'lost' })
    await expect(convert(flaky)).rejects.toThrow('Connection terminated')
    // The balance is now below the converted amount: the repetition still succeeds.
    expect(await convert(flaky)).toBe(6_000_000n)
    expect([await available(user, 'USD'), await available(user, 'SAT')]).toEqual([400n, 6_000_000n])
    const dry = { ...vasp.app, db: losingTheAnswer(db, 'pull_faucet', 1) }
    await expect(pullFaucet(dry, user, 'USD', 'lost')).rejects.toThrow('Connection terminated')
    await pullFaucet(dry, user, 'USD', 'lost')
    expect(await available(user, 'USD')).toBe(10_400n)
  })

  it('give money from the faucet up to the limit, however many requests arrive at once', async () => {
    const user = await newUser(vasp, { USD: 975_000n })
    const pull = (index: number): Promise<string> =>
      pullFaucet(vasp.app, user, 'USD', `pull ${index}`).then(
        () => 'given',
        (error: unknown) => (isVaspError(error) ? String(error.status) : String(error)),
      )
    // Six requests that wait for the locked wallet, and twenty more.
    const pulls = await atOnce(url, await walletOf(db, user, 'USD'), 6, pull)
    const more = await Promise.all(Array.from({ length: 20 }, (_, index) => pull(6 + index)))
    expect(pulls.toSorted()).toEqual(['403', '403', '403', '403', 'given', 'given'])
    expect(new Set(more)).toEqual(new Set(['403']))
    expect(await available(user, 'USD')).toBe(995_000n)
  })

  it('count twenty copies of one faucet request as one, even when it fills the wallet', async () => {
    const user = await newUser(vasp, { USD: 990_000n })
    await Promise.all(Array.from({ length: 20 }, () => pullFaucet(vasp.app, user, 'USD', 'one click')))
    expect(await available(user, 'USD')).toBe(1_000_000n)
    await pullFaucet(vasp.app, user, 'USD', 'one click')
    expect(await available(user, 'USD')).toBe(1_000_000n)
  })

  it('convert 110 out of 1,100 exactly ten times when sixty requests arrive at once', async () => {
    const user = await newUser(vasp, { USD: 1_100n, SAT: 0n })
    const tries = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        exchange(vasp.app, { username: user, from: 'USD', to: 'SAT', amount: 110n, requestId: `try ${index}` }),
      ),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    const refusals = tries.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown)
    expect(refusals.every((reason) => isVaspError(reason) && reason.code === 'INSUFFICIENT_BALANCE')).toBe(true)
    expect([await available(user, 'USD'), await available(user, 'SAT')]).toEqual([0n, 11_000_000n])
  })

  it('give all copies of one payment the same answer while another payment drains the wallets', async () => {
    for (let round = 0; round < 12; round++) {
      const payer = await newUser(vasp, { USD: 110n, EUR: 102n })
      const payee = await newUser(vasp, { SAT: 0n })
      const token = await tokenOf(payer)
      const [first = '', second = ''] = await invoicesOf(payee, 2, SPEND_MSATS)
      const asked = [first, second, first, second, first, first, second, first]
      const answers = await Promise.all(asked.map((invoice) => pay(token, invoice)))
      for (const invoice of [first, second]) {
        const group = answers.filter((_, index) => asked[index] === invoice).map(({ status }) => status)
        expect(new Set(group), `round ${round}`).toEqual(new Set([200]))
      }
    }
  })

  it('debit the confirmed amount from the confirmed wallet, or nothing', async () => {
    for (let round = 0; round < 12; round++) {
      const payer = await newUser(vasp, { USD: 110n, EUR: 5_000n, KWD: 5_000n })
      const payee = await newUser(vasp, { SAT: 0n })
      const invoices = await invoicesOf(payee, 2, SPEND_MSATS)
      const wallets = (await readWallets(db, payer)).filter(({ code }) => code === 'USD')
      const confirm = (invoice: string): Promise<unknown> =>
        payInvoice(vasp.app, {
          username: payer,
          connectionId: null,
          wallets,
          invoice,
          amountMsats: undefined,
          maxDebit: 110n,
        })
      const results = await Promise.allSettled(invoices.map(confirm))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await available(payer, 'USD')).toBe(0n)
      expect([await available(payer, 'EUR'), await available(payer, 'KWD')]).toEqual([5_000n, 5_000n])
    }
  })

  it('refuse a payment that costs more than the user confirmed, and move nothing', async () => {
    const payer = await newUser(vasp, { USD: 500n })
    const payee = await newUser(vasp, { SAT: 0n })
    const [invoice = ''] = await invoicesOf(payee, 1, SPEND_MSATS)
    const wallets = await readWallets(db, payer)
    const request = { username: payer, connectionId: null, wallets, invoice, amountMsats: undefined }
    await expect(payInvoice(vasp.app, { ...request, maxDebit: 109n })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    })
    expect(await available(payer, 'USD')).toBe(500n)
    expect(await payInvoice(vasp.app, { ...request, maxDebit: 110n })).toMatchObject({ debit: 110n })
  })

  it('report a paid or expired invoice as such to a user without enough money', async () => {
    const poor = await newUser(vasp, { USD: 1n })
    const rich = await newUser(vasp, { USD: 1_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const [paid = '', old = ''] = await invoicesOf(payee, 2, SPEND_MSATS)
    expect((await pay(await tokenOf(rich), paid)).status).toBe(200)
    await db.query({ name: 'test_expire', text: `update invoices set expires_at = now() where invoice = $1` }, [old])
    const token = await tokenOf(poor)
    expect(await pay(token, paid)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    expect(await pay(token, old)).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    const [open = ''] = await invoicesOf(payee, 1, SPEND_MSATS)
    expect(await pay(token, open)).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
  })

  it('serve other users while one user uses all connections allowed per user', async () => {
    const limited = await makeTestVasp(db, { RATE_LIMITS: 'on' }, vasp.pair)
    const busy = await newUser(vasp, { USD: 1_000_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const bystander = await tokenOf(await newUser(vasp, { USD: 100n }))
    const tokens = await Promise.all(Array.from({ length: 3 }, () => tokenOf(busy)))
    const invoices = await invoicesOf(payee, 300, 10_000n)
    const flood = Promise.all(invoices.map((invoice, index) => pay(tokens[index % 3] ?? '', invoice, {}, limited)))
    const seen: number[] = []
    for (let count = 0; count < 20; count++) seen.push((await limited.get('/balance', bystander)).status)
    expect(new Set(seen)).toEqual(new Set([200]))
    expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set([200]))
  })
})

/** A database whose connection breaks this many times after the statement ran and before its answer arrives. */
function losingTheAnswer(db: Database, name: string, times: number): Database {
  let left = times
  return {
    ...db,
    async query(statement, params) {
      const rows = await db.query(statement, params)
      if (statement.name === name && left > 0) {
        left -= 1
        throw new Error('Connection terminated unexpectedly')
      }
      return rows
    },
  }
}

/** Locks a wallet, starts this many operations, and releases the lock when all of them wait for it. */
async function atOnce<Result>(
  url: string,
  { accountId }: WalletAccount,
  count: number,
  start: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const blocker = new Client({ connectionString: url })
  await blocker.connect()
  try {
    await blocker.query('begin')
    await blocker.query('select from ledger_accounts where id = $1 for update', [String(accountId)])
    const work = Promise.all(Array.from({ length: count }, (_, index) => start(index)))
    const { signal } = endOf(work)
    while (!signal.aborted && ((await blocker.query(LOCK_WAITS)).rowCount ?? 0) < count) continue
    expect(signal.aborted).toBe(false)
    await blocker.query('rollback')
    return await work
  } finally {
    await blocker.end()
  }
}

/** Reads in four loops at once until the work is done. */
async function whileRunning<Reading>(work: Promise<unknown>, read: () => Promise<Reading>): Promise<Reading[]> {
  const { signal } = endOf(work)
  const readings: Reading[] = []
  const readers = Array.from({ length: 4 }, async () => {
    do readings.push(await read())
    while (!signal.aborted)
  })
  await Promise.all([work, ...readers])
  return readings
}

/** Aborted when the work has ended, whether it succeeded or failed. */
function endOf(work: Promise<unknown>): AbortController {
  const end = new AbortController()
  void Promise.allSettled([work]).then(() => end.abort())
  return end
}
