import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { PRICE_STEPS } from '@/lib/money/bitcoin-price'
import { rateOf } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import { makeLog } from '@/lib/platform/log'
import { exchange, pullFaucet } from '@/lib/wallets/service'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { expectSound } from '@/test/vasp/leaving'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { entriesOffTheirRates, quotesOffTheirInvoices, quotesOffTheirRates } from '@/test/vasp/moving-rates'
import { usePinnedRates } from '@/test/vasp/pinned-rates'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { openRates } from '../ledger/rate-snapshot'
import { openPinnedRates, type PinnedRates } from './pinned-rates'

const silent = makeLog('error', 'test', { write: () => undefined })

// Only notifications make an instance read the pinned rates again, not the passage of time.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterAll(() => void vi.useRealTimers())

/** Opens the pinned rates as another instance does. */
async function openAnother(db: Database): Promise<PinnedRates> {
  return openPinnedRates({ db, log: silent, listed: await openRates(db) })
}

const usd = (pinned: PinnedRates) => pinned.list().find(({ code }) => code === 'USD')

describeOnBothEngines('Pinned rates', (db) => {
  let pinned: PinnedRates
  beforeAll(async () => {
    pinned = await openAnother(db())
  })
  beforeEach(() => pinned.unpin())

  it('pins the price of one bitcoin, moves it, and returns it to the listed price', async () => {
    const listed = { code: 'USD', listedUnits: 10_000_000n, currentUnits: 10_000_000n, isPinned: false }
    const before = pinned.rates.current()
    expect(usd(pinned)).toEqual(listed)
    expect(await pinned.pin('USD', 9_999_999n)).toBe(true)
    expect(usd(pinned)).toEqual({ ...listed, currentUnits: 9_999_999n, isPinned: true })
    expect(pinned.rates.current().rateOf('USD')).toEqual({ numerator: 100_000_000_000n, denominator: 9_999_999n })
    expect(pinned.rates.current().rateOf('EUR')).toEqual(rateOf('EUR'))
    expect(await pinned.move('USD', 1)).toBe(true)
    expect(usd(pinned)?.currentUnits).toBe(10_099_998n)
    await pinned.unpin('USD')
    expect(usd(pinned)).toEqual(listed)
    expect(pinned.rates.current()).toMatchObject({ snapshotId: before.snapshotId })
    expect(before.rateOf('USD')).toEqual(rateOf('USD'))
  })

  it('moves a rate that is not pinned from its listed price', async () => {
    expect(await pinned.move('EUR', -10)).toBe(true)
    expect(pinned.list().find(({ code }) => code === 'EUR')?.currentUnits).toBe(8_280_000n)
  })

  it('returns one currency or all of them to the listed price', async () => {
    await pinned.pin('USD', 11_000_000n)
    await pinned.pin('EUR', 11_000_000n)
    await pinned.unpin('EUR')
    expect(pinned.list().filter(({ isPinned }) => isPinned)).toMatchObject([{ code: 'USD' }])
    await pinned.unpin()
    expect(pinned.list().filter(({ isPinned }) => isPinned)).toEqual([])
  })

  it('refuses a price below a tenth or above ten times the listed price, and keeps the price', async () => {
    for (const units of [999_999n, 100_000_001n, 0n, -1n, 10n ** 30n])
      expect(await pinned.pin('USD', units)).toBe(false)
    expect(usd(pinned)?.isPinned).toBe(false)
    await pinned.pin('USD', 100_000_000n)
    expect(await pinned.move('USD', 1)).toBe(false)
    expect(usd(pinned)?.currentUnits).toBe(100_000_000n)
    await pinned.pin('USD', 1_000_000n)
    expect(await pinned.move('USD', -1)).toBe(false)
    expect(usd(pinned)?.currentUnits).toBe(1_000_000n)
  })

  it('applies each of many concurrent moves exactly once', async () => {
    const other = await openAnother(db())
    await Promise.all(Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? pinned : other).move('JPY', 10)))
    let expected = 15_400_000n
    for (let count = 0; count < 6; count++) expected = (expected * 110n) / 100n
    // The other instance may have made the last move.
    await pinned.reload()
    expect(pinned.list().find(({ code }) => code === 'JPY')?.currentUnits).toBe(expected)
  })

  it('shows a pinned rate immediately to a listener of the same database, and to an instance that starts later', async () => {
    // A database handle has one listener for each channel: this one replaces the listener of `pinned`.
    const other = await openAnother(db())
    await pinned.pin('USD', 12_345_678n)
    await expect.poll(() => usd(other)?.currentUnits, { interval: 20 }).toBe(12_345_678n)
    await pinned.unpin()
    await expect.poll(() => usd(other)?.isPinned, { interval: 20 }).toBe(false)
    await pinned.pin('USD', 12_345_678n)
    expect(usd(await openAnother(db()))?.currentUnits).toBe(12_345_678n)
  })

  it('on the next reload, reads pinned rates whose notification was lost', async () => {
    const deaf = await openPinnedRates({
      db: { ...db(), listen: async () => undefined },
      log: silent,
      listed: await openRates(db()),
    })
    await pinned.pin('USD', 12_000_000n)
    expect(usd(deaf)?.isPinned).toBe(false)
    await deaf.reload()
    expect(usd(deaf)?.currentUnits).toBe(12_000_000n)
  })

  it('fails to open when the pinned rates cannot be read', async () => {
    const broken: Database = { ...db(), query: () => Promise.reject(new Error('no answer')) }
    await expect(openPinnedRates({ db: broken, log: silent, listed: await openRates(db()) })).rejects.toThrow(
      'no answer',
    )
  })

  it('has no effect on a server that does not open it', async () => {
    await pinned.pin('USD', 12_000_000n)
    expect((await openRates(db())).current().rateOf('USD')).toEqual(rateOf('USD'))
  })

  it('ignores rows for satoshis and for currencies that do not exist', async () => {
    await db().prisma.pinnedRate.createMany({
      data: ['SAT', 'XXX'].map((currencyCode) => ({ currencyCode, unitsPerBitcoin: 5n, pinnedAt: new Date() })),
    })
    await pinned.reload()
    expect(pinned.rates.current().rateOf('SAT')).toEqual(rateOf('SAT'))
    expect(pinned.list().filter(({ isPinned }) => isPinned)).toEqual([])
  })
})

describeOnPostgres('Two instances', (server) => {
  it('have the same rates, whichever instance pins, moves or unpins a rate', async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const databases = [await openPatiently(databaseUrl), await openPatiently(databaseUrl)] as const
    const [one, two] = [await openAnother(databases[0]), await openAnother(databases[1])]
    const expectBoth = async (units: bigint): Promise<void> => {
      await expect
        .poll(() => [one, two].map((pinned) => usd(pinned)?.currentUnits), { interval: 20 })
        .toEqual([units, units])
      expect(one.rates.current().snapshotId).toBe(two.rates.current().snapshotId)
    }
    try {
      await one.pin('USD', 12_000_000n)
      await expectBoth(12_000_000n)
      await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : two).move('USD', 1)))
      let expected = 12_000_000n
      for (let count = 0; count < 8; count++) expected = (expected * 101n) / 100n
      await expectBoth(expected)
      await two.unpin()
      await expectBoth(10_000_000n)
    } finally {
      for (const each of databases) await each.close()
    }
  })
})

describeOnBothEngines('While a presenter moves rates', (db) => {
  let vasp: TestVasp
  let pinned: PinnedRates
  let alice: string
  let bob: string
  let token: string
  const CODES = ['USD', 'EUR', 'JPY', 'KWD'] as const
  /** The receiving currency differs, because a payment in one currency has no rate. */
  const RECEIVING = { USD: 'EUR', EUR: 'JPY', JPY: 'USD', KWD: 'EUR' } as const
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    pinned = await usePinnedRates(vasp)
    const openings = { USD: 10n ** 8n, EUR: 10n ** 8n, JPY: 10n ** 8n, KWD: 10n ** 8n }
    alice = await newUser(vasp, openings)
    bob = await newUser(vasp, { EUR: 0n, USD: 0n, JPY: 0n, SAT: 0n })
    token = await vasp.connectionToken(alice, ['fetch_quote', 'execute_quote', 'pay_invoice'])
  })

  it('a quote keeps its terms, and a conversion uses the new rate', async () => {
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: 'EUR',
      locked_currency_amount: '10000',
      locked_currency_side: 'sending',
      receiver_address: `$${bob}@${vasp.app.settings.vaspDomain}`,
    }
    const quote = await vasp.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
    expect(quote.body).toMatchObject({ total_receiving_amount: 9_200 })
    const convert = (): Promise<bigint> =>
      exchange(vasp.app, { username: alice, from: 'USD', to: 'EUR', amount: 10_000n, requestId: randomUUID() })
    expect(await convert()).toBe(9_200n)
    await pinned.pin('EUR', 18_400_000n)
    expect(await convert()).toBe(18_400n)
    const paid = await vasp.post(`/quote/${String(quote.body.payment_hash)}`, token, {})
    expect(paid.body).toMatchObject({ preimage: expect.any(String) as string })
    const [wallet] = await db().query<{ balance: bigint }>({
      name: 'test_received_euros',
      text: `select a.balance from ledger_accounts a join wallets w on w.id = a.wallet_id
             where w.user_id = '${bob}' and w.currency_code = 'EUR' and a.kind = 'available'`,
    })
    expect(wallet?.balance).toBe(9_200n)
    await pinned.unpin()
  })

  it('the faucet gives the same amount', async () => {
    const dora = await newUser(vasp, { USD: 0n })
    await pinned.pin('USD', 1_000_000n)
    await pullFaucet(vasp.app, dora, 'USD', 'one')
    const [row] = await db().query<{ balance: bigint }>({
      name: 'test_faucet_dollars',
      text: `select a.balance from ledger_accounts a join wallets w on w.id = a.wallet_id
             where w.user_id = '${dora}' and a.kind = 'available'`,
    })
    expect(row?.balance).toBe(10_000n)
    await pinned.unpin()
  })

  const movement = fc.record({
    kind: fc.constantFrom('pin', 'move', 'unpin', 'exchange', 'quote', 'invoice'),
    code: fc.constantFrom(...CODES),
    other: fc.constantFrom(...CODES),
    permille: fc.bigInt({ min: 100n, max: 10_000n }),
    percent: fc.constantFrom(...PRICE_STEPS),
    amount: fc.bigInt({ min: 1_000n, max: 20_000n }),
  })
  type Movement = typeof movement extends fc.Arbitrary<infer Value> ? Value : never

  async function run({ kind, code, other, permille, percent, amount }: Movement): Promise<void> {
    const listed = pinned.list().find((each) => each.code === code)?.listedUnits ?? 0n
    if (kind === 'pin') await pinned.pin(code, (listed * permille) / 1_000n)
    if (kind === 'move') await pinned.move(code, percent)
    if (kind === 'unpin') await pinned.unpin(code)
    // A refusal, for an amount below one unit, is a correct answer. The checks afterwards verify what was booked.
    if (kind === 'exchange' && code !== other)
      await exchange(vasp.app, { username: alice, from: code, to: other, amount, requestId: randomUUID() }).catch(
        () => undefined,
      )
    if (kind === 'quote') {
      const query = {
        sending_currency_code: code,
        receiving_currency_code: RECEIVING[code],
        locked_currency_amount: String(amount),
        locked_currency_side: percent > 0 ? 'sending' : 'receiving',
        receiver_address: `$${bob}@${vasp.app.settings.vaspDomain}`,
      }
      const { body } = await vasp.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
      if (typeof body.payment_hash === 'string') await vasp.post(`/quote/${body.payment_hash}`, token, {})
    }
    if (kind === 'invoice') {
      const { invoice } = await invoiceOf(vasp, bob, 'EUR', amount * 1_000n)
      await vasp.post('/payments/bolt11', token, { invoice })
    }
  }

  it('every payment and conversion is booked at one stored snapshot, and the books stay correct', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(movement, { minLength: 10, maxLength: 30 }), async (movements) => {
        await Promise.all(movements.map(run))
        expect(await quotesOffTheirRates(db())).toEqual([])
        expect(await quotesOffTheirInvoices(db())).toEqual([])
        expect(await entriesOffTheirRates(db())).toEqual([])
        await expectSound(db())
      }),
      { numRuns: 12 },
    )
  }, 60_000)
})
