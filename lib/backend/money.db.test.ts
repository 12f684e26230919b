import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { CURRENCY_CODES, currencyOf, type CurrencyCode } from '@/lib/money/currencies'
import { listTransactions } from '@/lib/payments/history'
import { dumps } from '@/packages/uma-auth-vasp/test/python-json'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newInvoice } from '@/test/uma/other-vasp'
import { appAt } from '@/test/vasp/app-at'
import { holdForPayment } from '@/test/vasp/held-payment'
import { expectNothingMoved, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { expectDocumented } from '@/test/vasp/openapi'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'

const ALL = ['get_balance', 'make_invoice', 'lookup_invoice', 'list_transactions', 'pay_invoice']
const USD = { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 }
const OTHER = { status: 400, body: { code: 'OTHER' } }
const NOT_FOUND = {
  status: 404,
  body: { code: 'NOT_FOUND', message: 'No invoice or payment has this hash.' },
}
/** 0.1 bitcoin: the maximum of one payment. */
const MAX_MSATS = 10_000_000_000

/** JSON texts that are not amounts. */
const NO_AMOUNTS = [
  '0',
  '-1',
  '1.5',
  '"100"',
  '9007199254740992',
  '9223372036854775808',
  '1e400',
  '-0',
  '0.1e-5',
  'true',
  'false',
  '[]',
  '[1000]',
  '{}',
  '{"amount":1000}',
  '"²"',
  '"１００"',
  '"0x10"',
  '""',
  '" 1"',
  '"NaN"',
]
const NO_BODIES = [
  '',
  ' ',
  'null',
  '[]',
  '1',
  'true',
  '"amount"',
  '{',
  '}',
  '{"amount":}',
  "{'amount':1000}",
  'amount=1000',
  '{"amount":NaN}',
  '{"amount":1000}{}',
  '{"amount":1000,}',
  '\ufeff{"amount":1000}',
  '[{"amount":1000}]',
  '['.repeat(30_000),
]
const NO_CURRENCIES = ['usd', 'BTC', 'XXX', '__proto__', 'constructor', 'USD\0', ' USD', 'US', 'x'.repeat(10_000)]

interface User {
  readonly name: string
  readonly token: string
}
type Transaction = Record<string, unknown> & { payment_hash: string; created_at: number }

describeOnBothEngines('the money routes', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
  })
  // After each test the new entries balance, and at the end all entries do.
  let mark = FROM_THE_BEGINNING
  afterEach(async () => {
    const now = await readAuditMark(db())
    expect(await findBreaches(db(), mark, now)).toEqual([])
    mark = now
  })
  afterAll(async () => {
    expect(await findBreaches(db(), FROM_THE_BEGINNING, await readAuditMark(db()))).toEqual([])
  })

  async function user(balances: Partial<Record<CurrencyCode, bigint>>): Promise<User> {
    const name = await newUser(vasp, balances)
    return { name, token: await vasp.connectionToken(name, ALL) }
  }
  async function get(who: User, path: string): Promise<Answer> {
    const answer = await vasp.get(path, who.token)
    expectDocumented('get', path, answer)
    return answer
  }
  async function post(who: User, path: string, body: unknown): Promise<Answer> {
    const answer = await vasp.post(path, who.token, body)
    expectDocumented('post', path, answer)
    return answer
  }
  const pay = (who: User, invoice: string, more: object = {}): Promise<Answer> =>
    post(who, '/payments/bolt11', { invoice, ...more })
  const available = async (who: User, code: CurrencyCode): Promise<bigint> =>
    (await walletOf(db(), who.name, code)).available
  const movingNothing = (run: () => Promise<void>): Promise<void> => expectNothingMoved(db(), run)
  const sql = (text: string, params: readonly unknown[] = []): Promise<Record<string, unknown>[]> =>
    db().query({ name: `test_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text }, params)
  async function history(who: User, query = ''): Promise<Transaction[]> {
    const { status, body } = await get(who, `/transactions${query}`)
    expect(status).toBe(200)
    return body.transactions as Transaction[]
  }

  describe('GET /balance', () => {
    it('returns the default wallet’s smallest units and currency', async () => {
      const who = await user({ USD: 124_050n, SAT: 5_999n })
      const { status, body } = await get(who, '/balance')
      expect({ status, body }).toEqual({ status: 200, body: { balance: 124_050, currency: USD } })
    })

    it.each(CURRENCY_CODES)(
      'returns a wallet in %s by its code, in whole satoshis rounded down for SAT',
      async (code) => {
        const who = await user({ EUR: 1n, [code]: 75_999n })
        expect((await get(who, `/balance?currency_code=${code}`)).body).toEqual({
          balance: code === 'SAT' ? 75 : 75_999,
          currency: currencyOf(code),
        })
      },
    )

    it('is zero for an empty wallet, and for less than one satoshi', async () => {
      const who = await user({ USD: 0n, SAT: 999n })
      expect((await get(who, '/balance')).body).toMatchObject({ balance: 0 })
      expect((await get(who, '/balance?currency_code=SAT')).body).toMatchObject({ balance: 0 })
    })

    it('excludes money held for a pending payment', async () => {
      const who = await user({ USD: 1_000n })
      await holdForPayment(vasp, who.name, 'USD', 400n)
      expect((await get(who, '/balance')).body).toEqual({ balance: 600, currency: USD })
    })

    it('returns millisatoshis without a currency when BALANCE_DEFAULT_UNIT asks for them, and smallest units for a named currency', async () => {
      const msats = await makeTestVasp(db(), { BALANCE_DEFAULT_UNIT: 'msats' }, vasp.pair)
      const who = await user({ USD: 124_050n, SAT: 5_999n })
      expect((await msats.get('/balance', who.token)).body).toEqual({ balance: 1_240_500_000 })
      expect((await msats.get('/balance?currency_code=USD', who.token)).body).toEqual({
        balance: 124_050,
        currency: USD,
      })
      const inBitcoin = await user({ SAT: 5_999n })
      expect((await msats.get('/balance', inBitcoin.token)).body).toEqual({ balance: 5_999 })
    })

    it('answers in the default currency when the code is empty', async () => {
      const who = await user({ EUR: 5n })
      expect((await get(who, '/balance?currency_code=')).body).toEqual((await get(who, '/balance')).body)
    })

    it('gives the same refusal for a currency without a wallet as for an unknown currency', async () => {
      const who = await user({ USD: 1n })
      for (const code of [...NO_CURRENCIES, 'EUR', 'SAT']) {
        expect(await get(who, `/balance?currency_code=${encodeURIComponent(code)}`)).toMatchObject(OTHER)
      }
      expect(await get(who, '/balance?currency_code=USD&currency_code=USD')).toMatchObject(OTHER)
      expect(await get(who, '/balance?currency=EUR&user=bob')).toMatchObject({ body: { balance: 1 } })
    })
  })

  describe('POST /invoice', () => {
    it('returns an incoming transaction: millisatoshis, seconds, and null for unknown values', async () => {
      const who = await user({ SAT: 0n })
      const from = Math.floor(Date.now() / 1000)
      const { status, body } = await post(who, '/invoice', { amount: 25_000, description: 'Tea', expiry: 90 })
      expect(status).toBe(200)
      const decoding = decodeInvoice(String(body.invoice), 'regtest')
      if (!decoding.ok) throw new Error(decoding.reason)
      const { createdAtSeconds: made } = decoding.invoice
      expect(made).toBeGreaterThanOrEqual(from)
      expect(made).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
      expect(body).toEqual({
        type: 'incoming',
        payment_hash: decoding.invoice.paymentHash,
        amount: 25_000,
        fees_paid: 0,
        invoice: decoding.invoice.invoice,
        description: 'Tea',
        description_hash: null,
        preimage: null,
        created_at: made,
        expires_at: made + 90,
        settled_at: null,
        metadata: null,
      })
      expect(decoding.invoice).toMatchObject({
        amountMsats: 25_000n,
        description: 'Tea',
        expiresAtSeconds: made + 90,
        payee: vasp.app.node.identity.publicKeyHex,
      })
    })

    it('treats null, which the gateway sends, as absent, and creates an invoice that expires after an hour by default', async () => {
      const who = await user({ SAT: 0n })
      const nulls = { amount: 1_000, description: null, description_hash: null, expiry: null }
      const { body } = await post(who, '/invoice', nulls)
      expect(body).toMatchObject({ amount: 1_000, description: null, description_hash: null })
      expect(Number(body.expires_at) - Number(body.created_at)).toBe(3_600)
    })

    it.each([
      ['emoji', '☕️🧑‍🤝‍🧑'],
      ['right-to-left text and its marks', 'قهوة \u202e evil'],
      ['SQL', `'; drop table invoices; --`],
      ['markup', '<img src=x onerror=alert(1)>'],
      ['a backslash and quotes', `\\x00 "$1" %s`],
      ['nothing', ''],
      ['639 bytes', 'é'.repeat(319) + 'e'],
    ])('signs and stores a description of %s unchanged', async (_, description) => {
      const who = await user({ SAT: 0n })
      const { status, body } = await post(who, '/invoice', { amount: 1_000, description })
      expect(status).toBe(200)
      const decoding = decodeInvoice(String(body.invoice), 'regtest')
      expect(decoding.ok && decoding.invoice.description).toBe(description)
      expect((await get(who, `/invoices/${String(body.payment_hash)}`)).body).toEqual(body)
    })

    it('signs a description hash in upper or lower case', async () => {
      const who = await user({ SAT: 0n })
      const hash = createHash('sha256').update('a long text').digest('hex')
      const { body } = await post(who, '/invoice', { amount: 1_000, description_hash: hash.toUpperCase() })
      expect(body).toMatchObject({ description: null, description_hash: hash })
      const decoding = decodeInvoice(String(body.invoice), 'regtest')
      expect(decoding.ok && decoding.invoice.descriptionHash).toBe(hash)
    })

    it('credits the SAT wallet if there is one, else the default wallet', async () => {
      const codeOf = async (who: User): Promise<unknown> => {
        const { body } = await post(who, '/invoice', { amount: 100_000 })
        const text = `select w.currency_code as code, w.user_id from invoices i join wallets w on w.id = i.wallet_id where i.payment_hash = $1`
        return (await sql(text, [body.payment_hash]))[0]
      }
      const both = await user({ USD: 0n, EUR: 0n, SAT: 0n })
      expect(await codeOf(both)).toEqual({ code: 'SAT', user_id: both.name })
      const neither = await user({ EUR: 0n, USD: 0n })
      expect(await codeOf(neither)).toEqual({ code: 'EUR', user_id: neither.name })
    })

    it('enforces the limits: at most 0.1 bitcoin, at least one unit of the credited wallet', async () => {
      const sats = await user({ SAT: 0n })
      expect(await post(sats, '/invoice', { amount: MAX_MSATS })).toMatchObject({ status: 200 })
      expect(await post(sats, '/invoice', { amount: MAX_MSATS + 1 })).toMatchObject(OTHER)
      expect(await post(sats, '/invoice', { amount: Number.MAX_SAFE_INTEGER })).toMatchObject(OTHER)
      expect(await post(sats, '/invoice', { amount: 1 })).toMatchObject({ status: 200 })
      const cents = await user({ USD: 0n })
      expect(await post(cents, '/invoice', { amount: 9_999 })).toMatchObject(OTHER)
      expect(await post(cents, '/invoice', { amount: 10_000 })).toMatchObject({ status: 200 })
    })

    it.each(['1e3', '1000.0', '1000'])('accepts the amount %s, whose value is an integer', async (amount) => {
      const who = await user({ SAT: 0n })
      expect(await post(who, '/invoice', `{"amount":${amount}}`)).toMatchObject({
        status: 200,
        body: { amount: 1_000 },
      })
    })

    const FIELDS: [string, string[]][] = [
      ['amount', NO_AMOUNTS],
      ['expiry', ['0', '-1', '31536001', '1000000000000', '1.5', '"60"', '[]', '{}', 'true', '1e400']],
      [
        'description',
        ['1', '[]', '{}', 'true', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"x\\ud83d"'].concat(
          ['x'.repeat(640), 'é'.repeat(320), 'x'.repeat(10_000)].map((text) => JSON.stringify(text)),
        ),
      ],
      [
        'description_hash',
        ['1', '"ab"', `"${'a'.repeat(63)}"`, `"${'a'.repeat(65)}"`, `"${'g'.repeat(64)}"`, `["${'a'.repeat(64)}"]`],
      ],
    ]
    it.each(FIELDS)('names an invalid %s in its refusal, and writes nothing', async (field, texts) => {
      const who = await user({ SAT: 0n })
      await movingNothing(async () => {
        for (const text of texts) {
          const rest = field === 'amount' ? '' : '"amount":1000,'
          const answer = await post(who, '/invoice', `{${rest}"${field}":${text}}`)
          expect({ text: text.slice(0, 40), ...answer }).toMatchObject({
            ...OTHER,
            text: text.slice(0, 40),
            body: { code: 'OTHER', message: expect.stringContaining(field) as string },
          })
        }
      })
    })

    it.each(['', 'Tea', null])(
      'signs the hash when a description %j is given with it, and stores both',
      async (description) => {
        const who = await user({ SAT: 0n })
        const description_hash = 'a'.repeat(64)
        const { status, body } = await post(who, '/invoice', {
          amount: 1_000,
          description,
          description_hash,
          expiry: '',
        })
        expect([status, body.description, body.description_hash]).toEqual([200, description || null, description_hash])
        const decoding = decodeInvoice(String(body.invoice), 'regtest')
        expect(decoding.ok && decoding.invoice).toMatchObject({
          descriptionHash: description_hash,
          description: undefined,
        })
      },
    )

    it('refuses a body that is not a JSON object, and one over 64 kB', async () => {
      const who = await user({ SAT: 0n })
      await movingNothing(async () => {
        for (const body of NO_BODIES) expect(await post(who, '/invoice', body)).toMatchObject(OTHER)
        const large = JSON.stringify({ amount: 1_000, description: 'x'.repeat(70_000) })
        expect(await post(who, '/invoice', large)).toMatchObject({ status: 413, body: { code: 'OTHER' } })
      })
    })

    it('ignores fields that the caller may not set, and prototype fields', async () => {
      const who = await user({ SAT: 0n })
      const body = `{"amount":0,"amount":1000,"userId":2,"user_id":"bob","username":"bob","state":"settled","settled_at":1,
        "preimage":"00","payment_hash":"00","wallet_id":1,"type":"outgoing","fees_paid":9,"metadata":{"a":1},
        "__proto__":{"expiry":5,"polluted":1},"constructor":{"prototype":{"polluted":1}}}`
      const answer = await post(who, '/invoice', body)
      expect(answer).toMatchObject({
        status: 200,
        body: { type: 'incoming', amount: 1_000, settled_at: null, preimage: null, fees_paid: 0, metadata: null },
      })
      expect(Number(answer.body.expires_at) - Number(answer.body.created_at)).toBe(3_600)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      const [row] = await sql('select user_id from invoices where payment_hash = $1', [answer.body.payment_hash])
      expect(row).toEqual({ user_id: who.name })
    })

    it('reads bytes that are not UTF-8 without an internal error', async () => {
      const who = await user({ SAT: 0n })
      const bytes = Buffer.concat([
        Buffer.from('{"amount":1000,"description":"'),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from('"}'),
      ])
      const response = await vasp.api(
        new Request('http://localhost:3000/umanwc/v1/invoice', {
          method: 'POST',
          headers: { Authorization: `Bearer ${who.token}` },
          body: bytes,
        }),
      )
      expect([200, 400]).toContain(response.status)
    })
  })

  describe('POST /payments/bolt11', () => {
    it('pays a SAT wallet from USD: the receiver gets the exact amount, the payer the matching preimage', async () => {
      const [payer, payee] = [await user({ USD: 1_000n, SAT: 0n }), await user({ SAT: 0n })]
      const { body: made } = await post(payee, '/invoice', { amount: 15_001, description: 'Tea' })
      const { status, body } = await pay(payer, String(made.invoice), { amount: null, budget_currency_code: null })
      expect({ status, ...body }).toEqual({
        status: 200,
        preimage: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        total_budget_currency_amount: 20,
      })
      expect(sha256(String(body.preimage))).toBe(made.payment_hash)
      // 15.001 satoshis cost two cents, which are worth 20 satoshis.
      expect(await available(payer, 'USD')).toBe(998n)
      expect(await available(payee, 'SAT')).toBe(15_001n)
    })

    const BUDGETS: [CurrencyCode, bigint, string | null | undefined, number][] = [
      ['USD', 15_000n, undefined, 20],
      ['USD', 15_000n, null, 20],
      ['USD', 15_000n, 'SAT', 20],
      ['USD', 15_000n, 'USD', 2],
      ['USD', 15_000n, 'EUR', 2],
      ['USD', 15_000n, 'JPY', 4],
      ['USD', 15_000n, 'KWD', 7],
      ['USD', 15_000n, 'NGN', 3_280],
      ['SAT', 1_500n, 'SAT', 2],
      ['SAT', 1_500n, null, 2],
      ['SAT', 1_500n, 'USD', 1],
      ['SAT', 1_500n, 'NGN', 246],
      ['SAT', 1n, 'SAT', 1],
      ['SAT', 1n, 'USD', 1],
      ['SAT', 1n, 'NGN', 1],
      ['JPY', 6_494n, 'JPY', 2],
      ['JPY', 6_494n, 'SAT', 13],
      ['KWD', 1n, 'KWD', 1],
      ['KWD', 1n, 'SAT', 4],
    ]
    it.each(BUDGETS)(
      'debits %s for %s msats, and reports the cost in the budget currency %s as %s: rounded up, never 0',
      async (code, msats, budget, total) => {
        const [payer, payee] = [await user({ [code]: 1_000_000n }), await user({ SAT: 0n })]
        const { invoice } = await invoiceOf(vasp, payee.name, 'SAT', msats)
        const { status, body } = await pay(payer, invoice, { budget_currency_code: budget })
        expect({ status, total: body.total_budget_currency_amount }).toEqual({ status: 200, total })
        expect(await available(payee, 'SAT')).toBe(msats)
      },
    )

    it.each([
      ['EUR', 353_333n],
      ['EUR', 101_000n],
      ['KWD', 43_210n],
      ['JPY', 1n],
    ] as const)('uses no more of a budget in %s than was estimated for %s msats', async (budget, msats) => {
      const [payer, payee] = [await user({ USD: 1_000n, SAT: 1_000_000n }), await user({ SAT: 0n })]
      const sats = (msats + 999n) / 1_000n
      const estimate = await get(
        payer,
        `/budget_estimate?sending_currency_code=SAT&sending_currency_amount=${sats}&budget_currency_code=${budget}`,
      )
      const { invoice } = await invoiceOf(vasp, payee.name, 'SAT', msats)
      const paid = await pay(payer, invoice, { budget_currency_code: budget })
      expect(paid.status).toBe(200)
      expect(paid.body.total_budget_currency_amount).toBeLessThanOrEqual(
        Number(estimate.body.estimated_budget_currency_amount),
      )
    })

    it('credits a fiat wallet rounded down, and debits a SAT wallet exactly', async () => {
      const [payer, payee] = [await user({ SAT: 100_000n }), await user({ USD: 0n })]
      const { invoice } = await invoiceOf(vasp, payee.name, 'USD', 19_999n)
      expect(await pay(payer, invoice)).toMatchObject({ status: 200, body: { total_budget_currency_amount: 20 } })
      expect(await available(payer, 'SAT')).toBe(80_001n)
      expect(await available(payee, 'USD')).toBe(1n)
    })

    it('debits one wallet: the default wallet, else the next that covers the whole amount', async () => {
      const payer = await user({ USD: 5n, EUR: 0n, SAT: 60_000n })
      const payee = await user({ SAT: 0n })
      const costing = async (msats: bigint): Promise<Answer> =>
        pay(payer, (await invoiceOf(vasp, payee.name, 'SAT', msats)).invoice)
      expect(await costing(50_001n)).toMatchObject({ status: 200 })
      expect([await available(payer, 'USD'), await available(payer, 'SAT')]).toEqual([5n, 9_999n])
      expect(await costing(50_000n)).toMatchObject({ status: 200 })
      expect([await available(payer, 'USD'), await available(payer, 'SAT')]).toEqual([0n, 9_999n])
      const { invoice } = await invoiceOf(vasp, payee.name, 'SAT', 10_000n)
      await movingNothing(async () => {
        expect(await pay(payer, invoice)).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
      })
    })

    it('pays exactly the requested amount when the invoice names none, and refuses the request when it names none either', async () => {
      const [payer, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const { invoice, paymentHash } = await invoiceOf(vasp, payee.name, 'SAT')
      await movingNothing(async () => {
        expect(await pay(payer, invoice)).toMatchObject(OTHER)
        expect(await pay(payer, invoice, { amount: null })).toMatchObject(OTHER)
        expect(await pay(payer, invoice, { amount: MAX_MSATS + 1 })).toMatchObject(OTHER)
        expect(await pay(payer, invoice, { amount: Number.MAX_SAFE_INTEGER })).toMatchObject(OTHER)
      })
      const paid = await pay(payer, invoice, { amount: 1_234 })
      expect(paid).toMatchObject({ status: 200, body: { total_budget_currency_amount: 2 } })
      expect(await available(payee, 'SAT')).toBe(1_234n)
      expect((await get(payee, `/invoices/${paymentHash}`)).body).toMatchObject({ amount: 1_234 })
      await movingNothing(async () => {
        expect((await pay(payer, invoice, { amount: 1_234 })).body).toEqual(paid.body)
        expect(await pay(payer, invoice, { amount: 1_235 })).toMatchObject(OTHER)
        expect(await pay(payer, invoice)).toMatchObject(OTHER)
      })
    })

    it('accepts an amount equal to the invoice’s, and refuses any other', async () => {
      const [payer, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const { invoice } = await invoiceOf(vasp, payee.name, 'SAT', 1_000n)
      await movingNothing(async () => {
        for (const amount of [1, 999, 1_001, 1_000_000])
          expect(await pay(payer, invoice, { amount })).toMatchObject(OTHER)
      })
      expect(await pay(payer, invoice, { amount: 1_000 })).toMatchObject({ status: 200 })
    })

    it('refuses an amount that is worth less than one unit of the receiver’s wallet', async () => {
      const [payer, payee] = [await user({ SAT: 90_000n }), await user({ USD: 0n })]
      const { invoice } = await invoiceOf(vasp, payee.name, 'USD')
      await movingNothing(async () => {
        expect(await pay(payer, invoice, { amount: 9_999 })).toMatchObject(OTHER)
      })
      expect(await pay(payer, invoice, { amount: 10_000 })).toMatchObject({ status: 200 })
    })

    it('refuses an invoice with an amount of zero', async () => {
      const payer = await user({ SAT: 9_000n })
      expect(await pay(payer, newInvoice({ amountMsats: 0n }))).toMatchObject(OTHER)
    })

    it('decides expiry by the database’s clock, whatever the invoice’s text says', async () => {
      const [payer, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const fresh = await invoiceOf(vasp, payee.name, 'SAT', 1_000n)
      await sql(`update invoices set expires_at = now() where payment_hash = $1`, [fresh.paymentHash])
      await movingNothing(async () => {
        const refused = await pay(payer, fresh.invoice)
        expect(refused).toMatchObject({ ...OTHER, body: { message: expect.stringMatching(/expired/) as string } })
      })
      const slow = { ...vasp, app: appAt(vasp, new Date(Date.now() - 86_400_000)) }
      const old = await invoiceOf(slow, payee.name, 'SAT', 1_000n)
      expect(await pay(payer, old.invoice)).toMatchObject(OTHER)
      await sql(`update invoices set expires_at = now() + interval '1 hour' where payment_hash = $1`, [old.paymentHash])
      expect(await pay(payer, old.invoice)).toMatchObject({ status: 200 })
    })

    const BAD_INVOICES = [
      '""',
      'null',
      '1',
      '[]',
      '{}',
      'true',
      '" "',
      '"lnbcrt1"',
      '"lightning:"',
      '"$bob@localhost:3000"',
      '"lnbcrt1\\u0000"',
      '"\\ud800"',
      '"lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7"',
      `"' or true --"`,
      `"lnbcrt1${'q'.repeat(1_900)}"`,
      `"lnbcrt1${'q'.repeat(4_990)}"`,
      '"__proto__"',
      '"../../balance"',
    ]
    it('refuses text that is not an invoice of this network', async () => {
      const [payer, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const { invoice } = await invoiceOf(vasp, payee.name, 'SAT', 1_000n)
      const damaged = [
        invoice.slice(0, -1) + (invoice.endsWith('q') ? 'p' : 'q'),
        invoice.replace('lnbcrt', 'lnbc'),
        invoice.replace('lnbcrt', 'LNBCRT'),
        `${invoice}\0`,
        `${invoice} `.repeat(2),
      ].map((text) => JSON.stringify(text))
      await movingNothing(async () => {
        for (const text of [...BAD_INVOICES, ...damaged]) {
          expect(await post(payer, '/payments/bolt11', `{"invoice":${text}}`)).toMatchObject(OTHER)
        }
      })
    })

    it('refuses invalid amounts, budgets and bodies, and moves nothing', async () => {
      const [payer, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const open = await invoiceOf(vasp, payee.name, 'SAT')
      const priced = await invoiceOf(vasp, payee.name, 'SAT', 1_000n)
      await movingNothing(async () => {
        for (const text of NO_AMOUNTS) {
          const answer = await post(payer, '/payments/bolt11', `{"invoice":"${open.invoice}","amount":${text}}`)
          expect({ text, ...answer }).toMatchObject({ text, ...OTHER })
        }
        for (const budget_currency_code of [...NO_CURRENCIES, 1, [], {}, true, ['USD']])
          expect(await pay(payer, priced.invoice, { budget_currency_code })).toMatchObject(OTHER)
        for (const body of NO_BODIES) expect(await post(payer, '/payments/bolt11', body)).toMatchObject(OTHER)
        const large = { invoice: priced.invoice, padding: 'x'.repeat(70_000) }
        expect(await post(payer, '/payments/bolt11', large)).toMatchObject({ status: 413 })
      })
    })

    it('ignores fields that the caller may not set: the user, the wallet, the debit', async () => {
      const [payer, other, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const { invoice } = await invoiceOf(vasp, payee.name, 'SAT', 1_000n)
      const body = `{"invoice":"x","invoice":"${invoice}","user_id":"${other.name}","username":"${other.name}","wallet_id":1,
        "debit":0,"fee":0,"state":"failed","preimage":"00","connection_id":"x","__proto__":{"amount":7},"total_budget_currency_amount":1}`
      expect(await post(payer, '/payments/bolt11', body)).toMatchObject({ status: 200 })
      expect([await available(payer, 'SAT'), await available(other, 'SAT')]).toEqual([8_000n, 9_000n])
      const [row] = await sql('select user_id, amount_msats from payments where invoice = $1', [invoice])
      expect(row).toEqual({ user_id: payer.name, amount_msats: 1_000n })
    })
  })

  describe('GET /invoices/{payment_hash}', () => {
    it('shows a paid invoice to the receiver, with settlement and preimage, and the payment to the payer', async () => {
      const [payer, payee] = [await user({ SAT: 9_000n }), await user({ SAT: 0n })]
      const description_hash = createHash('sha256').update('x').digest('hex')
      const { body: made } = await post(payee, '/invoice', { amount: 1_500, description_hash })
      const path = `/invoices/${String(made.payment_hash)}`
      expect((await get(payee, path)).body).toEqual(made)
      expect(await get(payer, path)).toMatchObject(NOT_FOUND)
      const { body: paid } = await pay(payer, String(made.invoice))
      const incoming = (await get(payee, path)).body
      expect(incoming).toEqual({ ...made, preimage: paid.preimage, settled_at: expect.any(Number) as number })
      expect(Math.abs(Number(incoming.settled_at) - Date.now() / 1000)).toBeLessThan(60)
      const outgoing = (await get(payer, path.toUpperCase().replace('INVOICES', 'invoices'))).body
      expect(outgoing).toEqual({ ...incoming, type: 'outgoing', created_at: outgoing.created_at })
      expect(Math.abs(Number(outgoing.created_at) - Date.now() / 1000)).toBeLessThan(60)
    })

    it('gives another user the same answer as for an unknown hash, paid or not', async () => {
      const [payer, payee, stranger] = [await user({ SAT: 9_000n }), await user({ SAT: 0n }), await user({ SAT: 0n })]
      const { paymentHash, invoice } = await invoiceOf(vasp, payee.name, 'SAT', 1_000n)
      const unknown = await get(stranger, `/invoices/${randomBytes(32).toString('hex')}`)
      expect(unknown).toMatchObject(NOT_FOUND)
      expect((await get(stranger, `/invoices/${paymentHash}`)).body).toEqual(unknown.body)
      await pay(payer, invoice)
      expect((await get(stranger, `/invoices/${paymentHash}`)).body).toEqual(unknown.body)
      expect(await history(stranger, '?unpaid=true')).toEqual([])
    })

    it('refuses text that is not a hash', async () => {
      const who = await user({ SAT: 0n })
      for (const text of [
        'a'.repeat(63),
        'a'.repeat(65),
        'g'.repeat(64),
        '%00',
        `${'a'.repeat(63)}%00`,
        'a'.repeat(10_000),
        '..%2Fbalance',
        '%20',
        `${'a'.repeat(64)}%0A`,
        `${'a'.repeat(64)}/`,
        '１'.repeat(64),
        '__proto__',
      ]) {
        const answer = await vasp.get(`/invoices/${text}`, who.token)
        expect([400, 404]).toContain(answer.status)
        expect(answer.body).toMatchObject({ code: answer.status === 400 ? 'OTHER' : 'NOT_FOUND' })
      }
    })
  })

  describe('GET /transactions', () => {
    const T0 = 1_790_000_000
    let payee: User
    let payer: User
    /** Hashes, oldest first: three in each second from T0, two of them at the same time. The last ten stay unpaid. */
    const hashes: string[] = []
    beforeAll(async () => {
      payer = await user({ SAT: 1_000_000n })
      payee = await user({ SAT: 0n, USD: 500n })
      for (let index = 0; index < 30; index++) {
        const { paymentHash, invoice } = await invoiceOf(vasp, payee.name, 'SAT', 1_000n + BigInt(index))
        const at = `to_timestamp(${T0 + Math.floor(index / 3)}) + interval '${index % 3 === 2 ? 900 : 0} milliseconds'`
        await sql(`update invoices set created_at = ${at} where payment_hash = $1`, [paymentHash])
        hashes.push(paymentHash)
        if (index < 20) await pay(payer, invoice)
      }
      await sql(`update invoices set expires_at = now() where payment_hash = $1`, [hashes[29]])
      await invoiceOf(vasp, payee.name, 'SAT')
      await sql(
        `insert into payments (payment_hash, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
         values ($1, $2, $3, 5, 5, $4, 'failed')`,
        [
          randomBytes(32).toString('hex'),
          payee.name,
          (await walletOf(db(), payee.name, 'SAT')).walletId,
          vasp.app.rates.current().snapshotId,
        ],
      )
    })
    const hashesOf = (transactions: readonly Transaction[]): string[] => transactions.map((each) => each.payment_hash)
    const newestFirst = (from: number, to: number): string[] => hashes.slice(from, to).toReversed()

    it('lists settled transactions, newest first, twenty by default', async () => {
      expect(hashesOf(await history(payee))).toEqual(newestFirst(0, 20))
      expect(hashesOf(await history(payee, '?unpaid=false&limit=100'))).toEqual(newestFirst(0, 20))
      const [newest] = await history(payee)
      expect(newest).toEqual((await get(payee, `/invoices/${String(hashes[19])}`)).body)
    })

    it('adds open invoices for unpaid=true, but no expired ones, none without an amount, and no failed payments', async () => {
      expect(hashesOf(await history(payee, '?unpaid=true&limit=100'))).toEqual(newestFirst(0, 29))
    })

    it('adds a pending payment for unpaid=true, without a preimage', async () => {
      const who = await user({ USD: 1_000n })
      const { paymentHash } = await holdForPayment(vasp, who.name, 'USD', 400n)
      expect(await history(who)).toEqual([])
      expect(await history(who, '?unpaid=true')).toMatchObject([
        { type: 'outgoing', payment_hash: paymentHash, preimage: null, settled_at: null },
      ])
    })

    it('leaves out opening balances and the faucet', async () => {
      expect(await history(await user({ USD: 100n, SAT: 5_000n }), '?unpaid=true')).toEqual([])
    })

    it('pages without a gap or a repetition while other transactions are added', async () => {
      const seen: string[] = []
      for (let offset = 0; ; offset += 7) {
        const page = await history(payee, `?until=${T0 + 9}&limit=7&offset=${offset}`)
        seen.push(...hashesOf(page))
        if (page.length === 0) break
        const other = await user({ SAT: 0n })
        for (const who of [other, payee]) {
          const { invoice } = await invoiceOf(vasp, who.name, 'SAT', 1_000n)
          expect(await pay(payer, invoice)).toMatchObject({ status: 200 })
        }
      }
      expect(seen).toEqual(newestFirst(0, 20))
    })

    it('treats from and until as whole seconds, both inclusive', async () => {
      const between = async (from: number, until: number): Promise<string[]> =>
        hashesOf(await history(payee, `?from=${from}&until=${until}&limit=100`))
      expect(await between(T0 + 1, T0 + 1)).toEqual(newestFirst(3, 6))
      expect(await between(T0 + 1, T0 + 3)).toEqual(newestFirst(3, 12))
      expect(await between(0, T0)).toEqual(newestFirst(0, 3))
      expect(await between(0, T0 - 1)).toEqual([])
      expect(hashesOf(await history(payee, `?from=${T0 + 6}&until=99999999999&limit=100`)).slice(-2)).toEqual(
        newestFirst(18, 20),
      )
    })

    it.each([
      ['incoming', 'TransactionType.INCOMING', 20],
      ['outgoing', 'TransactionType.OUTGOING', 0],
    ])('treats type=%s and type=%s as the same', async (plain, printed, count) => {
      const until = `&until=${T0 + 9}&limit=100`
      const found = await history(payee, `?type=${plain}${until}`)
      expect(found).toHaveLength(count)
      expect(await history(payee, `?type=${printed}${until}`)).toEqual(found)
      const paid = await history(payer, `?type=${printed}&limit=100`)
      expect(paid.length >= 20).toBe(plain === 'outgoing')
      expect(new Set(paid.map(({ type }) => type))).toEqual(new Set(plain === 'outgoing' ? ['outgoing'] : []))
    })

    it('returns at most a hundred, however many are requested', async () => {
      const busy = await user({ SAT: 0n })
      await sql(
        `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at)
         select encode(sha256(decode(lpad(to_hex(n), 64, '0'), 'hex')), 'hex'), lpad(to_hex(n), 64, '0'), 'test ' || n, $1, $2::bigint, 1,
                now() + interval '1 hour'
         from generate_series(1, 120) n`,
        [busy.name, (await walletOf(db(), busy.name, 'SAT')).walletId],
      )
      expect(await history(busy, '?unpaid=true')).toHaveLength(20)
      for (const limit of ['100', '101', '1000000000'])
        expect(await history(busy, `?unpaid=true&limit=${limit}`)).toHaveLength(100)
      expect(await history(busy, '?unpaid=true&limit=100&offset=100')).toHaveLength(20)
      expect(await history(busy, '?unpaid=true&offset=10000')).toEqual([])
      expect(await history(busy, '?unpaid=true&limit=1')).toHaveLength(1)
    })

    it('ends a page at 36 kB, and paging from there with a fixed `until` neither loses nor repeats a transaction', async () => {
      const busy = await user({ SAT: 1_000_000n, USD: 0n })
      const texts = ['Tea for two. ', '"\\\n', '漢字仮名交じり文', '🍵👩‍👩‍👧']
      const descriptionOf = (index: number): string => {
        const text = texts[index % texts.length] ?? ''
        return text.repeat(Math.floor(((index * 13) % 640) / Buffer.byteLength(text)))
      }
      // Open invoices, three in each second, and payments in both directions and from the user to the same user.
      await sql(
        `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, created_at, expires_at)
         select encode(sha256(sha256(int8send(7000 + n))), 'hex'), encode(sha256(int8send(7000 + n)), 'hex'),
                'long ' || n || repeat('x', 300), $1, $2::bigint, 1000, text, to_timestamp($3::bigint + n / 3), now() + interval '1 hour'
         from unnest($4::text[]) with ordinality as made (text, n)`,
        [
          busy.name,
          (await walletOf(db(), busy.name, 'SAT')).walletId,
          T0,
          Array.from({ length: 200 }, (_, index) => descriptionOf(index)),
        ],
      )
      for (let index = 0; index < 24; index++) {
        const [to, from] = [index % 3 === 0 ? payee : busy, index % 3 === 1 ? payer : busy]
        const made = await post(to, '/invoice', { amount: 10_000, description: descriptionOf(index + 20) })
        expect(await pay(from, String(made.body.invoice))).toMatchObject({ status: 200 })
      }
      const seen: Transaction[] = []
      const sizes: number[] = []
      for (;;) {
        const page = await history(busy, `?unpaid=true&until=1900000000&limit=100&offset=${seen.length}`)
        if (page.length === 0) break
        seen.push(...page)
        sizes.push(dumps({ transactions: page }).length)
      }
      const listed = await listTransactions(vasp.app, busy.name, { limit: 300, offset: 0, unpaid: true })
      const namesOf = (all: readonly { type: string; hash: string }[]): string[] =>
        all.map(({ type, hash }) => `${type} ${hash}`)
      expect(namesOf(seen.map((each) => ({ type: String(each.type), hash: each.payment_hash })))).toEqual(
        namesOf(listed.map(({ type, paymentHash: hash }) => ({ type, hash }))),
      )
      expect(seen).toHaveLength(200 + 24 + 8)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(36_000)
      expect(Math.max(...sizes)).toBeGreaterThan(33_000)
    })

    it('names the bounds of limit and offset when it refuses them', async () => {
      expect((await get(payee, '/transactions?limit=0')).body.message).toBe('limit has to be an integer from 1 to 100.')
      expect((await get(payee, '/transactions?offset=10001')).body.message).toBe(
        'offset has to be an integer from 0 to 10000.',
      )
      expect((await get(payee, '/transactions?type=foo')).body.message).toBe('type is missing or not valid.')
    })

    it.each([
      'limit=0',
      'limit=-1',
      'limit=1.5',
      'limit=abc',
      'limit=%C2%B2',
      'limit=1e2',
      'limit=0x10',
      'limit=%201',
      'offset=-1',
      'offset=10001',
      'offset=1000000000000',
      'offset=1.0',
      'from=2&until=1',
      'from=abc',
      'from=-1',
      'from=1.5',
      'until=9007199254740993',
      'from=%EF%BC%91',
      'type=foo',
      'type=INCOMING',
      'type=TransactionType.incoming',
      'type=__proto__',
      'type=incoming%00',
      'unpaid=1',
      'unpaid=TRUE',
      'limit=1&limit=2',
      'type=incoming&type=outgoing',
    ])('refuses ?%s', async (query) => {
      expect(await get(payee, `/transactions?${query}`)).toMatchObject(OTHER)
    })

    it('takes empty parameters as absent', async () => {
      const whole = await history(payee)
      expect(await history(payee, '?from=&until=&limit=&offset=&unpaid=&type=')).toEqual(whole)
      expect(await get(payee, '/transactions?limit=1&limit=')).toMatchObject(OTHER)
    })

    it('ignores an unknown query field', async () => {
      const found = await history(payee, `?limit=1&user_id=${payer.name}&state=failed&__proto__=1&constructor=1`)
      expect(found).toHaveLength(1)
      expect(found[0]).toMatchObject({ type: 'incoming' })
    })
  })
})

function sha256(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')
}
