import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listInvoices } from '@/lib/invoices/queries'
import { rateOf, type CurrencyCode } from '@/lib/money/currencies'
import { limitsOf } from '@/lib/money/limits'
import { parseAddress } from '@/lib/uma/address'
import { lookUp } from '@/lib/uma/client/look-up'
import { describeOnBothEngines } from '@/test/databases/databases'
import { appAt } from '@/test/vasp/app-at'
import { expectSound } from '@/test/vasp/leaving'
import { expectNothingMoved, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { readStatement } from '../wallets/queries'
import { createQuote } from './create'
import { findQuote } from './queries'

const COMMANDS = ['lookup_user', 'fetch_quote', 'execute_quote', 'pay_to_address', 'pay_invoice', 'lookup_invoice']
const HEX = expect.stringMatching(/^[0-9a-f]{64}$/) as string

describeOnBothEngines('A quote to a user of this VASP', (db) => {
  let vasp: TestVasp
  let payer: string
  let token: string
  let bob: string

  beforeAll(async () => {
    vasp = await makeTestVasp(db())
  })
  beforeEach(async () => {
    payer = await newUser(vasp, { USD: 100_000n, SAT: 5_000_000n })
    bob = await newUser(vasp, { JPY: 0n, SAT: 0n, EUR: 0n })
    token = await vasp.connectionToken(payer, COMMANDS)
  })

  const addressOf = (name: string): string => `$${name}@localhost:3000`
  const quote = (over: Record<string, string> = {}, by = token): Promise<Answer> => {
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: 'JPY',
      locked_currency_amount: '100',
      locked_currency_side: 'receiving',
      receiver_address: addressOf(bob),
      ...over,
    }
    return vasp.get(`/quote/lud16?${new URLSearchParams(query)}`, by)
  }
  const execute = (hash: unknown, body: unknown = { budget_currency_code: null }, by = token): Promise<Answer> =>
    vasp.post(`/quote/${String(hash)}`, by, body)
  const hashOf = async (over: Record<string, string> = {}): Promise<string> =>
    String((await quote(over)).body.payment_hash)
  const available = async (username: string, code: CurrencyCode): Promise<bigint> =>
    (await walletOf(db(), username, code)).available
  const unmoved = (work: () => Promise<unknown>): Promise<void> => expectNothingMoved(db(), work)

  describe('starts with a lookup that returns', () => {
    test('the receiver’s currencies in order of preference, in millisatoshis per unit', async () => {
      const { status, body } = await vasp.get(`/receiver/lud16/${addressOf(bob)}`, token)
      expect(status).toBe(200)
      expect(body.currencies).toMatchObject([
        {
          currency: { code: 'JPY', decimals: 0 },
          multiplier: 1_000_000 / 154,
          min: 1,
          max: Number(limitsOf('JPY', rateOf).max),
        },
        { currency: { code: 'SAT' }, multiplier: 1_000 },
        { currency: { code: 'EUR' }, multiplier: 1_000_000 / 92 },
      ])
    })

    test('multipliers in units of the base currency', async () => {
      const { body } = await vasp.get(`/receiver/lud16/${addressOf(bob)}?base_sending_currency_code=USD`, token)
      const multipliers = (body.currencies as { multiplier: number }[]).map(({ multiplier }) => multiplier)
      expect(multipliers).toEqual([1_000_000 / 154 / 10_000, 0.1, 1_000_000 / 92 / 10_000])
    })

    test('the receiver for an address with any URL escaping', async () => {
      const once = encodeURIComponent(addressOf(bob))
      for (const path of [
        addressOf(bob),
        once,
        encodeURIComponent(once),
        addressOf(bob.toUpperCase()),
        `${bob}@localhost:3000`,
      ])
        expect((await vasp.get(`/receiver/lud16/${path}`, token)).status, path).toBe(200)
    })

    test.each([
      'bob',
      '@',
      '$a@b@c',
      '$bob@localhost:3000.',
      '$b%C3%B6b@localhost:3000',
      '%2524',
      `$${'x'.repeat(300)}@a.b`,
      '$bob@a.b%0d%0aHost:',
    ])('no receiver for %s, which is not an address', async (path) => {
      const { status, body } = await vasp.get(`/receiver/lud16/${path}`, token)
      expect([status, body.code]).toEqual([400, 'OTHER'])
    })

    test('no receiver for an unknown name', async () => {
      const { status, body } = await vasp.get('/receiver/lud16/$nobody@localhost:3000', token)
      expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    })

    test('no receiver for an unknown base currency', async () => {
      for (const code of ['usd', 'BTC', '__proto__']) {
        const path = `/receiver/lud16/${addressOf(bob)}?base_sending_currency_code=${code}`
        expect((await vasp.get(path, token)).status).toBe(400)
      }
      const [empty, absent] = ['?base_sending_currency_code=', ''].map((query) =>
        vasp.get(`/receiver/lud16/${addressOf(bob)}${query}`, token),
      )
      expect((await empty)?.body).toEqual((await absent)?.body)
    })
  })

  describe('is created', () => {
    test('with the receiving side locked, for the exact credit and its cost rounded up', async () => {
      const before = Math.floor(Date.now() / 1000)
      const { status, body } = await quote()
      // 100 yen are 649,350.6 msats, which at 10,000 a cent are 64.9 cents.
      expect(status).toBe(200)
      expect(body).toEqual({
        sending_currency: { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 },
        receiving_currency: { code: 'JPY', symbol: '¥', name: 'Japanese Yen', decimals: 0 },
        payment_hash: HEX,
        created_at: expect.any(Number) as number,
        expires_at: expect.any(Number) as number,
        multiplier: 1_000_000 / 154 / 10_000,
        fees: 0,
        total_sending_amount: 65,
        total_receiving_amount: 100,
      })
      const lasts = Number(body.expires_at) - before
      expect(lasts).toBeGreaterThanOrEqual(600)
      expect(lasts).toBeLessThan(610)
    })

    test('with the sending side locked, for the exact debit and its value rounded down', async () => {
      const { body } = await quote({ locked_currency_side: 'sending', locked_currency_amount: '65' })
      expect(body).toMatchObject({ total_sending_amount: 65, total_receiving_amount: 100, fees: 0 })
    })

    test('with a new hash each time', async () => {
      expect(await hashOf()).not.toBe(await hashOf())
    })

    test.each([
      ['an unknown sending currency', { sending_currency_code: 'XXX' }],
      ['a sending currency without a wallet', { sending_currency_code: 'KWD' }],
      ['a receiving currency that the receiver does not accept', { receiving_currency_code: 'KWD' }],
      ['a receiving currency in lower case', { receiving_currency_code: 'jpy' }],
      ['the name of an inherited property as the currency', { receiving_currency_code: '__proto__' }],
      ['a third side', { locked_currency_side: 'both' }],
      ['an amount of 0', { locked_currency_amount: '0' }],
      ['digits of another script', { locked_currency_amount: '１００' }],
      ['a sign', { locked_currency_amount: '+1' }],
      ['a fraction', { locked_currency_amount: '1.5' }],
      ['more than JSON represents exactly', { locked_currency_amount: '9007199254740992' }],
      ['more than the limit of one payment', { locked_currency_amount: '9007199254740991' }],
      [
        'more than the limit of one payment on the sending side',
        { locked_currency_amount: '9007199254740991', locked_currency_side: 'sending' },
      ],
      ['two addresses', { receiver_address: '$a@b@c' }],
    ])('not with %s', async (_why, over) => {
      await unmoved(async () => {
        const { status, body } = await quote(over)
        expect([status, body.code]).toEqual([400, 'OTHER'])
      })
    })

    test('not for less than one unit of the receiver’s currency', async () => {
      // One satoshi is 1,000 msats, one yen 6,493.
      const over = { sending_currency_code: 'SAT', locked_currency_side: 'sending', locked_currency_amount: '6' }
      expect((await quote(over)).status).toBe(400)
    })
  })

  describe('is executed', () => {
    test('and debits exactly the total, credits exactly the quoted amount, and books the residue to the rounding account', async () => {
      const { status, body } = await execute(await hashOf())
      expect([status, body]).toEqual([200, { preimage: HEX, total_budget_currency_amount: 65 }])
      expect([await available(payer, 'USD'), await available(bob, 'JPY')]).toEqual([99_935n, 100n])
      expect(await rounding(vasp)).toBe(650_000n - 649_351n)
      await expectSound(db())
    })

    test('with the sending side locked too', async () => {
      const hash = await hashOf({
        locked_currency_side: 'sending',
        locked_currency_amount: '1234',
        receiving_currency_code: 'EUR',
      })
      expect((await execute(hash)).body).toEqual({ preimage: HEX, total_budget_currency_amount: 1_234 })
      // 12,340,000 msats at 10,869.56 a euro cent.
      expect([await available(payer, 'USD'), await available(bob, 'EUR')]).toEqual([98_766n, 1_135n])
      await expectSound(db())
    })

    test('with our exchange fee booked to the fees account, and without a fee within one currency', async () => {
      const dear = await makeTestVasp(db(), { FX_SPREAD_BPS: '150', ROUTING_FEE_BPS: '500' }, vasp.pair)
      const wallet = await walletOf(db(), payer, 'USD')
      const asked = {
        username: payer,
        connectionId: null,
        wallet,
        lockedSide: 'receiving',
        lockedAmount: 1_000n,
      } as const
      const receiver = await lookUp(dear.app, payer, parseAddress(addressOf(bob)))
      const made = await createQuote(dear.app, receiver, { ...asked, receivingCode: 'EUR' })
      // 10.00 EUR cost 1,087 cents, and 1.5 % of that is 16.3.
      expect([made.totalSendingAmount, made.fees]).toEqual([1_104n, 17n])
      const before = await feesOf(vasp, 'USD')
      expect((await execute(made.paymentHash)).body.total_budget_currency_amount).toBe(1_104)
      expect((await feesOf(vasp, 'USD')) - before).toBe(17n)
      const theirs = await vasp.connectionToken(payer, ['list_transactions'])
      expect((await vasp.get('/transactions', theirs)).body.transactions).toMatchObject([
        { payment_hash: made.paymentHash, fees_paid: 170_000 },
      ])
      expect([await available(payer, 'USD'), await available(bob, 'EUR')]).toEqual([100_000n - 1_104n, 1_000n])
      const sats = await walletOf(db(), payer, 'SAT')
      const same = await createQuote(dear.app, receiver, { ...asked, wallet: sats, receivingCode: 'SAT' })
      expect([same.totalSendingAmount, same.fees]).toEqual([1_000n, 0n])
      await expectSound(db())
    })

    test('and appears in the receiver’s lists, with the payer, only once it is paid', async () => {
      const theirs = await vasp.connectionToken(bob, ['list_transactions'])
      const listed = async (): Promise<unknown> =>
        (await vasp.get('/transactions?unpaid=true', theirs)).body.transactions
      const hash = await hashOf()
      expect(await listed()).toEqual([])
      expect(await listInvoices(vasp.app.db, bob, 'open')).toEqual([])
      await execute(hash)
      expect(await listed()).toMatchObject([{ type: 'incoming', payment_hash: hash }])
      expect(await listInvoices(vasp.app.db, bob, 'paid')).toMatchObject([{ payerAddress: addressOf(payer) }])
      expect((await readStatement(vasp.app.db, bob, 'JPY'))?.lines[0]?.text).toBe(`Received: from ${addressOf(payer)}`)
      expect((await readStatement(vasp.app.db, payer, 'USD'))?.lines[0]?.text).toBe(`Paid: to ${addressOf(bob)}`)
    })

    test('again with the stored preimage and without moving money, whatever the budget currency', async () => {
      const hash = await hashOf()
      const first = await execute(hash)
      await unmoved(async () => {
        expect(await execute(hash)).toMatchObject({ status: 200, body: first.body })
        expect((await execute(hash.toUpperCase(), { budget_currency_code: 'SAT' })).body).toEqual({
          preimage: first.body.preimage,
          total_budget_currency_amount: 650,
        })
      })
    })

    test('with the total in a third currency, fees included, rounded up', async () => {
      const { body } = await execute(await hashOf(), { budget_currency_code: 'KWD' })
      // 650,000 msats at 3,257.3 a fils.
      expect(body.total_budget_currency_amount).toBe(200)
    })

    test('not by another user, with the same answer as for an unknown hash', async () => {
      const hash = await hashOf()
      const other = await vasp.connectionToken(await newUser(vasp, { USD: 100_000n }), COMMANDS)
      await unmoved(async () => {
        const foreign = await execute(hash, {}, other)
        const unknown = await execute('ab'.repeat(32), {}, other)
        expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND'])
        expect(foreign.body).toEqual(unknown.body)
      })
      expect((await execute(hash)).status).toBe(200)
    })

    test('and is visible to its payer only', async () => {
      const hash = await hashOf()
      expect(await findQuote(db(), payer, hash)).toMatchObject({ expired: false, payment: null })
      expect(await findQuote(db(), bob, hash)).toBeUndefined()
    })

    test.each(['x', 'ab'.repeat(31), 'zz'.repeat(32), 'ab'.repeat(5_000)])(
      'not for a text that is not a hash: %.20s',
      async (hash) => {
        expect((await execute(hash)).status).toBe(400)
      },
    )

    test('not for more than the wallet holds, whatever other wallets hold', async () => {
      const hash = await hashOf({ locked_currency_side: 'sending', locked_currency_amount: '100001' })
      await unmoved(async () => {
        const { status, body } = await execute(hash)
        expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE'])
      })
    })

    test('not with an unknown budget currency', async () => {
      const hash = await hashOf()
      await unmoved(async () => expect((await execute(hash, { budget_currency_code: 'usd' })).status).toBe(400))
    })

    test('shortly before it expires by the database’s clock, and not one second after', async () => {
      const receiver = await lookUp(vasp.app, payer, parseAddress(addressOf(bob)))
      const made = async (secondsAgo: number): Promise<string> => {
        const app = appAt(vasp, new Date(Date.now() - secondsAgo * 1_000))
        const aged = await lookUp(app, payer, receiver.address)
        const wallet = await walletOf(db(), payer, 'USD')
        const asked = { username: payer, connectionId: null, wallet, lockedSide: 'sending', lockedAmount: 65n } as const
        return (await createQuote(app, aged, { ...asked, receivingCode: 'JPY' })).paymentHash
      }
      const late = await made(601)
      await unmoved(async () => {
        const { status, body } = await execute(late)
        expect([status, body]).toEqual([400, { code: 'OTHER', message: 'This quote has expired. Ask for a new one.' }])
      })
      expect((await execute(await made(590))).status).toBe(200)
    })

    test('not after another user has paid its invoice, and the preimage is not shown', async () => {
      const hash = await hashOf()
      const [row] = await db().query<{ invoice: string }>(
        { name: 'test_quote_invoice', text: 'select invoice from quotes where payment_hash = $1' },
        [hash],
      )
      const other = await vasp.connectionToken(await newUser(vasp, { SAT: 10_000_000n }), ['pay_invoice'])
      expect((await vasp.post('/payments/bolt11', other, { invoice: row?.invoice })).status).toBe(200)
      await unmoved(async () => {
        const { status, body } = await execute(hash)
        expect([status, body.code, body.preimage]).toEqual([400, 'OTHER', undefined])
      })
    })

    test('between two wallets of one user, and moves nothing from a wallet to itself', async () => {
      const self = addressOf(payer)
      const toSats = await hashOf({
        receiver_address: self,
        receiving_currency_code: 'SAT',
        locked_currency_amount: '1000',
      })
      expect((await execute(toSats)).status).toBe(200)
      expect([await available(payer, 'USD'), await available(payer, 'SAT')]).toEqual([99_900n, 6_000_000n])
      const toItself = await hashOf({ receiver_address: self, receiving_currency_code: 'USD' })
      expect((await execute(toItself)).status).toBe(200)
      expect(await available(payer, 'USD')).toBe(99_900n)
      await expectSound(db())
    })
  })

  describe('with pay_to_address', () => {
    const pay = (over: Record<string, unknown> = {}): Promise<Answer> =>
      vasp.post('/payments/lud16', token, {
        receiver_address: addressOf(bob),
        sending_currency_code: 'USD',
        sending_currency_amount: 65,
        receiving_currency_code: null,
        budget_currency_code: null,
        ...over,
      })

    test('is created and paid in one call, in the receiver’s first currency by default', async () => {
      const { status, body } = await pay()
      expect(status).toBe(200)
      expect(body).toMatchObject({
        preimage: HEX,
        total_budget_currency_amount: 65,
        quote: { total_sending_amount: 65, total_receiving_amount: 100, receiving_currency: { code: 'JPY' } },
      })
      expect([await available(payer, 'USD'), await available(bob, 'JPY')]).toEqual([99_935n, 100n])
      const { payment_hash: hash } = body.quote as { payment_hash: string }
      expect((await execute(hash)).body.preimage).toBe(body.preimage)
      expect((await vasp.get(`/invoices/${hash}`, token)).body).toMatchObject({
        type: 'outgoing',
        preimage: body.preimage,
      })
      await expectSound(db())
    })

    test('is reported in the budget currency', async () => {
      const { body } = await pay({ receiving_currency_code: 'EUR', budget_currency_code: 'KWD' })
      expect(body).toMatchObject({ total_budget_currency_amount: 200, quote: { receiving_currency: { code: 'EUR' } } })
    })

    test('moves nothing when any parameter is wrong', async () => {
      for (const [over, status, code] of [
        [{ receiver_address: '$nobody@localhost:3000' }, 404, 'NOT_FOUND'],
        [{ receiver_address: 'nobody' }, 400, 'OTHER'],
        [{ sending_currency_code: 'KWD' }, 400, 'OTHER'],
        [{ sending_currency_amount: 0 }, 400, 'OTHER'],
        [{ sending_currency_amount: 1.5 }, 400, 'OTHER'],
        [{ sending_currency_amount: '65' }, 400, 'OTHER'],
        [{ sending_currency_amount: 100_001 }, 400, 'INSUFFICIENT_BALANCE'],
        [{ receiving_currency_code: 'KWD' }, 400, 'OTHER'],
        [{ budget_currency_code: 'XXX' }, 400, 'OTHER'],
      ] as const) {
        const balances = [await available(payer, 'USD'), await available(bob, 'JPY')]
        const answer = await pay(over)
        expect([answer.status, answer.body.code], JSON.stringify(over)).toEqual([status, code])
        expect([await available(payer, 'USD'), await available(bob, 'JPY')]).toEqual(balances)
      }
    })
  })

  test('never gains money in a circle of payments, whatever the currencies and the locked side', async () => {
    const other = await newUser(vasp, { USD: 1_000n, EUR: 1_000n, SAT: 1_000_000n, JPY: 1_000n, KWD: 1_000n })
    const self = await newUser(vasp, { USD: 1_000n, EUR: 1_000n, SAT: 1_000_000n, JPY: 1_000n, KWD: 1_000n })
    const theirs = {
      [self]: await vasp.connectionToken(self, COMMANDS),
      [other]: await vasp.connectionToken(other, COMMANDS),
    }
    const worth = async (): Promise<bigint> => {
      const [row] = await db().query<{ msats: bigint }>(
        {
          name: 'test_worth',
          // In millionths of a millisatoshi, so that rounding hides no gain.
          text: `select sum(a.balance * (select (pair ->> 1)::numeric / (pair ->> 2)::numeric from rate_snapshots, jsonb_array_elements(rates) pair
                                         where rate_snapshots.id = $2 and pair ->> 0 = a.currency_code)
                            / case a.currency_code when 'SAT' then 1000 else 1 end * 1000000)::bigint as msats
                 from ledger_accounts a join wallets w on w.id = a.wallet_id where w.user_id = any($1)`,
        },
        [[self, other], vasp.app.rates.current().snapshotId],
      )
      return row?.msats ?? 0n
    }
    const codes: CurrencyCode[] = ['USD', 'EUR', 'SAT', 'JPY', 'KWD']
    let last = await worth()
    let round = 0
    let executed = 0
    for (const from of codes) {
      for (const to of codes.filter((code) => code !== from)) {
        for (const [sender, receiver] of [
          [self, other],
          [other, self],
        ] as const) {
          const side = (round += 1) % 2 === 0 ? 'sending' : 'receiving'
          const over = {
            sending_currency_code: from,
            receiving_currency_code: to,
            locked_currency_side: side,
            locked_currency_amount: from === 'SAT' || to === 'SAT' ? '17' : '3',
            receiver_address: addressOf(receiver),
          }
          const made = await quote(over, theirs[sender])
          if (made.status === 200 && (await execute(made.body.payment_hash, {}, theirs[sender])).status === 200)
            executed += 1
          const now = await worth()
          expect(now).toBeLessThanOrEqual(last)
          last = now
        }
      }
    }
    // Most rounds must succeed, or the test proves nothing.
    expect(executed).toBeGreaterThan(round / 2)
    await expectSound(db())
  })
})

async function feesOf({ app }: TestVasp, code: CurrencyCode): Promise<bigint> {
  const text = 'select coalesce(sum(amount), 0)::bigint as total from postings where account_id = $1'
  const [row] = await app.db.query<{ total: bigint }>({ name: 'test_fees', text }, [app.house('fees', code)])
  return row?.total ?? 0n
}

/** The amount of the last posting to the operator's rounding account. */
async function rounding({ app }: TestVasp): Promise<bigint> {
  const [row] = await app.db.query<{ amount: bigint }>({
    name: 'test_last_rounding',
    text: `select p.amount from postings p join ledger_accounts a on a.id = p.account_id
           where a.kind = 'rounding' order by p.id desc limit 1`,
  })
  return row?.amount ?? 0n
}
