import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rateOf, type CurrencyCode } from '@/lib/money/currencies'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { expectSound, houseBalance } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import type { Answer } from '@/test/vasp/vasp'

const CODES = ['USD', 'EUR', 'SAT', 'JPY', 'KWD'] as const
/** Each currency sends to the next two, and receives from the previous two. `same-currency.db.test.ts` has payments within one. */
const PAIRS = CODES.flatMap((from, index) =>
  [1, 2].map((steps) => [from, CODES[(index + steps) % CODES.length] ?? from] as const),
)
/** Odd amounts in smallest units, so that every division leaves a residue. */
const AMOUNTS: Readonly<Record<(typeof CODES)[number], bigint>> = {
  USD: 1_237n,
  EUR: 1_013n,
  SAT: 43_219n,
  JPY: 1_511n,
  KWD: 3_307n,
}
/** Not a currency of either wallet, so it is always a third one. */
const BUDGET = 'GBP'
const MODES = [
  'a quote with the sending side locked',
  'a quote with the receiving side locked',
  'pay_to_address',
] as const
const COMMANDS = ['fetch_quote', 'execute_quote', 'pay_to_address', 'get_balance']

const inLedger = (units: bigint, code: CurrencyCode): bigint => (code === 'SAT' ? units * 1_000n : units)
const up = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor
const down = (dividend: bigint, divisor: bigint): bigint => dividend / divisor
type Divide = typeof up

/** Converts smallest units to millisatoshis and back, by the exact ratios. */
const toMsats = (units: bigint, code: CurrencyCode, divide: Divide): bigint =>
  divide(units * rateOf(code).numerator, rateOf(code).denominator)
const toUnits = (msats: bigint, code: CurrencyCode, divide: Divide): bigint =>
  divide(msats * rateOf(code).denominator, rateOf(code).numerator)

interface QuoteBody {
  readonly payment_hash: string
  readonly total_sending_amount: number
  readonly total_receiving_amount: number
  readonly fees: number
  readonly multiplier: number
}

describeOnTwoDatabases('Payments from one VASP to another, over HTTP', (northDb, southDb) => {
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: string
  let bob: string
  let token: string

  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
    ;({ north, south } = both)
    alice = await newUser(north, { USD: 10n ** 6n, EUR: 10n ** 6n, SAT: 10n ** 10n, JPY: 10n ** 6n, KWD: 10n ** 6n })
    bob = await newUser(south, { USD: 0n, EUR: 0n, SAT: 0n, JPY: 0n, KWD: 0n })
    token = await north.connectionToken(alice, COMMANDS)
  })
  afterAll(() => both.stop())

  const address = (): string => `$${bob}@${south.domain}`
  const fetchQuote = (from: CurrencyCode, to: CurrencyCode, side: 'sending' | 'receiving', amount: bigint) => {
    const query = {
      sending_currency_code: from,
      receiving_currency_code: to,
      locked_currency_amount: String(amount),
      locked_currency_side: side,
      receiver_address: address(),
    }
    return north.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
  }
  const execute = (hash: string): Promise<Answer> =>
    north.post(`/quote/${hash}`, token, { budget_currency_code: BUDGET })
  const payToAddress = (from: CurrencyCode, to: CurrencyCode, amount: bigint): Promise<Answer> =>
    north.post('/payments/lud16', token, {
      receiver_address: address(),
      sending_currency_code: from,
      sending_currency_amount: Number(amount),
      receiving_currency_code: to,
      budget_currency_code: BUDGET,
    })

  async function pay(
    mode: (typeof MODES)[number],
    from: (typeof CODES)[number],
    to: (typeof CODES)[number],
  ): Promise<{ quote: QuoteBody; paid: Answer }> {
    if (mode === 'pay_to_address') {
      const paid = await payToAddress(from, to, AMOUNTS[from])
      return { quote: paid.body.quote as QuoteBody, paid }
    }
    const side = mode === MODES[0] ? 'sending' : 'receiving'
    const fetched = await fetchQuote(from, to, side, AMOUNTS[side === 'sending' ? from : to])
    expect(fetched.body).toMatchObject({ fees: 0 })
    expect(fetched.status).toBe(200)
    const quote = fetched.body as unknown as QuoteBody
    return { quote, paid: await execute(quote.payment_hash) }
  }
  test('name the payer in the receiver’s list and at the lookup of the invoice, in the form of NIP-47', async () => {
    const { quote } = await pay('pay_to_address', 'USD', 'EUR')
    const reading = await south.connectionToken(bob, ['list_transactions', 'lookup_invoice'])
    const metadata = { payer_data: { identifier: `$${alice}@${north.domain}` } }
    const listed = await south.get('/transactions?limit=1', reading)
    expect(listed.body).toMatchObject({ transactions: [{ payment_hash: quote.payment_hash, metadata }] })
    expect((await south.get(`/invoices/${quote.payment_hash}`, reading)).body).toMatchObject({ metadata })
    const sending = await north.connectionToken(alice, ['list_transactions'])
    const sent = await north.get('/transactions?limit=1', sending)
    expect(sent.body).toMatchObject({ transactions: [{ payment_hash: quote.payment_hash, metadata: null }] })
  })

  const state = async () => ({
    ...(await walletsOf(northDb, alice, 'sent')),
    ...(await walletsOf(southDb, bob, 'got')),
    northRounding: await houseBalance(northDb(), 'rounding'),
    southRounding: await houseBalance(southDb(), 'rounding'),
    northPeer: await peerBalance(northDb()),
    southPeer: await peerBalance(southDb()),
  })

  describe.each(PAIRS)('from %s to %s', (from, to) => {
    afterAll(async () => {
      await expectSound(northDb())
      await expectSound(southDb())
    })
    test.each(MODES)(
      '%s debits exactly the total, credits exactly the quoted amount, and leaves the books of both VASPs balanced',
      async (mode) => {
        const before = await state()
        const { quote, paid } = await pay(mode, from, to)
        expect(paid.body).toMatchObject({ preimage: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
        const after = await state()
        const [total, promised] = [BigInt(quote.total_sending_amount), BigInt(quote.total_receiving_amount)]

        // The locked side is exact, and the other side follows from the two rates.
        const isReceiving = mode === MODES[1]
        const msats = isReceiving ? toMsats(AMOUNTS[to], to, up) : toMsats(AMOUNTS[from], from, down)
        expect([total, promised]).toEqual(
          isReceiving ? [toUnits(msats, from, up), AMOUNTS[to]] : [AMOUNTS[from], toUnits(msats, to, down)],
        )
        expect(quote.multiplier).toBeCloseTo(
          Number(toMsats(10n ** 6n, to, down)) / Number(toMsats(10n ** 6n, from, down)),
          4,
        )

        // One wallet paid the total, one received the quoted amount, and no other wallet changed.
        const changes = Object.keys(after).filter(
          (key) => after[key as keyof typeof after] !== before[key as keyof typeof before],
        )
        const wallets = changes.filter((key) => /^(sent|got) /.test(key))
        expect(wallets.toSorted()).toEqual([`got ${to}`, `sent ${from}`])
        const moved = (key: string): bigint => after[key as keyof typeof after] - before[key as keyof typeof before]
        expect([moved(`sent ${from}`), moved(`got ${to}`)]).toEqual([-inLedger(total, from), inLedger(promised, to)])

        // The rounding accounts hold the residues of the divisions, exact to the millisatoshi.
        expect(moved('northRounding')).toBe(toMsats(total, from, down) - msats)
        expect(moved('southRounding')).toBe(msats - toMsats(promised, to, up))
        expect([moved('northPeer'), moved('southPeer')]).toEqual([msats, -msats])

        // The budget amount is converted at the payment's rates, and rounded up at each step.
        expect(BigInt(Number(paid.body.total_budget_currency_amount))).toBe(
          toUnits(toMsats(total, from, up), BUDGET, up),
        )
      },
    )
  })

  test('the lookup of a receiver returns multipliers in the sending currency', async () => {
    const { body } = await north.get(
      `/receiver/lud16/${encodeURIComponent(address())}?base_sending_currency_code=USD`,
      await north.connectionToken(alice, ['lookup_user']),
    )
    const found = body.currencies as { currency: { code: string }; multiplier: number }[]
    expect(found.map(({ currency }) => currency.code)).toEqual(['USD', 'EUR', 'SAT', 'JPY', 'KWD'])
    expect(found[0]?.multiplier).toBe(1)
    expect(found[2]?.multiplier).toBeCloseTo(0.1, 10)
  })

  test('a payment to a receiver that the remote VASP does not know is answered with 404, and nothing is held', async () => {
    const before = await state()
    const { status, body } = await north.post('/payments/lud16', token, {
      receiver_address: `$nobody@${south.domain}`,
      sending_currency_code: 'USD',
      sending_currency_amount: 100,
    })
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect(await state()).toEqual(before)
  })

  test('a plain Lightning Address is paid in satoshis', async () => {
    const before = (await walletOf(southDb(), bob, 'SAT')).available
    const { status, body } = await north.post('/payments/lud16', token, {
      receiver_address: `${bob}@${south.domain}`,
      sending_currency_code: 'USD',
      sending_currency_amount: 100,
    })
    expect(status).toBe(200)
    expect(body.quote).toMatchObject({ total_sending_amount: 100, total_receiving_amount: 1_000 })
    expect((await walletOf(southDb(), bob, 'SAT')).available).toBe(before + 1_000_000n)
  })
})

async function walletsOf(
  db: () => Parameters<typeof walletOf>[0],
  username: string,
  prefix: string,
): Promise<Record<string, bigint>> {
  const balances: Record<string, bigint> = {}
  for (const code of CODES) {
    const { available, held } = await walletOf(db(), username, code)
    expect(held).toBe(0n)
    balances[`${prefix} ${code}`] = available
  }
  return balances
}

async function peerBalance(db: Parameters<typeof walletOf>[0]): Promise<bigint> {
  const text = `select coalesce(sum(balance), 0)::bigint as total from ledger_accounts where kind = 'node'`
  const [row] = await db.query<{ total: bigint }>({ name: 'test_peers', text })
  return row?.total ?? 0n
}
