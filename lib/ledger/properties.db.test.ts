import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { MAX_WIRE_INTEGER, toWireInteger } from '@/lib/money/convert'
import { CURRENCY_CODES, rateOf, type CurrencyCode } from '@/lib/money/currencies'
import { payInvoice } from '@/lib/payments/pay-invoice'
import type { Database } from '@/lib/platform/db/database'
import { sqlState } from '@/lib/platform/db/sql-state'
import { isVaspError } from '@/lib/platform/errors'
import { exchange, pullFaucet } from '@/lib/wallets/service'
import { describeOnBothEngines } from '@/test/databases/databases'
import { recomputeBooks } from '@/test/vasp/books'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { readWallets } from './accounts'
import { postEntry } from './entry'

interface User {
  readonly username: string
  readonly balances: Partial<Record<CurrencyCode, bigint>>
}

/** One operation. Numbers select a wallet or an invoice, modulo their count; a null amount means no amount. */
type Operation =
  | { readonly kind: 'faucet'; readonly who: number; readonly wallet: number; readonly repeat: boolean }
  | {
      readonly kind: 'exchange'
      readonly who: number
      readonly from: number
      readonly to: number
      readonly amount: bigint
      readonly repeat: boolean
    }
  | { readonly kind: 'invoice'; readonly who: number; readonly wallet: number; readonly amount: bigint | null }
  | { readonly kind: 'pay'; readonly who: number; readonly invoice: number; readonly amount: bigint | null }
  | { readonly kind: 'rogue'; readonly who: number; readonly wallet: number; readonly amount: bigint }

interface ModelInvoice {
  readonly owner: string
  readonly code: CurrencyCode
  readonly amount: bigint | null
  paid?: { by: string; amount: bigint }
  /** The text of the real invoice, set once it is created. */
  invoice?: string
}

/**
 * The price of a ledger unit in msats, written out independently of the currency list so that a mistake in either place shows.
 * Only currencies that the tests use need a line here.
 */
const MSATS_FOR_UNIT: Partial<Record<CurrencyCode, readonly [bigint, bigint]>> = {
  SAT: [1n, 1n],
  USD: [10_000n, 1n],
  EUR: [250_000n, 23n],
  JPY: [500_000n, 77n],
  KWD: [1_000_000n, 307n],
}
const FAUCET_MSATS = 100_000_000n
const FULL_MSATS = 10_000_000_000n
const MAX_PAYMENT_MSATS = 10_000_000_000n

/** A model of every balance: plain arithmetic, no database. */
function makeModel(users: readonly User[]): {
  readonly balances: ReadonlyMap<string, bigint>
  readonly invoices: ModelInvoice[]
  /** Applies the operation to the model; false when it should be refused. */
  apply(operation: Operation, place: number): boolean
} {
  const balances = new Map(
    users.flatMap(({ username, balances: own }) =>
      Object.entries(own).map(([code, units]) => [`${username} ${code}`, units] as const),
    ),
  )
  const invoices: ModelInvoice[] = []
  const has = (username: string, code: CurrencyCode): bigint => balances.get(`${username} ${code}`) ?? 0n
  const add = (username: string, code: CurrencyCode, units: bigint): void =>
    void balances.set(`${username} ${code}`, has(username, code) + units)
  const codesOf = (user: User): CurrencyCode[] =>
    CURRENCY_CODES.filter((code) => code in user.balances).toSorted(
      (a, b) => Object.keys(user.balances).indexOf(a) - Object.keys(user.balances).indexOf(b),
    )

  function pay(payer: User, bill: ModelInvoice | undefined, asked: bigint | null): boolean {
    if (bill === undefined) return false
    if (bill.amount !== null && asked !== null && asked !== bill.amount) return false
    const msats = bill.amount ?? asked
    if (msats === null || msats > MAX_PAYMENT_MSATS) return false
    if (bill.paid !== undefined) return bill.paid.by === payer.username && bill.paid.amount === msats
    const credit = floor(msats, bill.code)
    const wallet = codesOf(payer).find((code) => has(payer.username, code) >= ceiling(msats, code))
    if (wallet === undefined || credit < 1n) return false
    bill.paid = { by: payer.username, amount: msats }
    if (payer.username === bill.owner && wallet === bill.code) return true
    add(payer.username, wallet, -ceiling(msats, wallet))
    add(bill.owner, bill.code, credit)
    return true
  }

  return {
    balances,
    invoices,
    apply(operation) {
      const user = users[operation.who]
      if (user === undefined) return false
      const { username } = user
      const codes = codesOf(user)
      const codeAt = (position: number): CurrencyCode => codes[position % codes.length] ?? 'SAT'
      switch (operation.kind) {
        case 'faucet': {
          const code = codeAt(operation.wallet)
          const units = wholeUnits(FAUCET_MSATS, code)
          if (has(username, code) + units > wholeUnits(FULL_MSATS, code)) return false
          add(username, code, units)
          return true
        }
        case 'exchange': {
          const [from, to] = [codeAt(operation.from), codeAt(operation.to)]
          const { amount } = operation
          if (from === to || amount < 1n || amount > has(username, from)) return false
          const [numerator, denominator] = MSATS_FOR_UNIT[from] ?? [0n, 1n]
          const arrives = floor((amount * numerator) / denominator, to)
          if (arrives < 1n) return false
          add(username, from, -amount)
          add(username, to, arrives)
          return true
        }
        case 'invoice': {
          const code = codeAt(operation.wallet)
          const amount = operation.amount !== null && operation.amount < 1n ? 1n : operation.amount
          if (amount !== null && (amount > MAX_PAYMENT_MSATS || floor(amount, code) < 1n)) return false
          invoices.push({ owner: username, code, amount })
          return true
        }
        case 'pay': {
          const asked = operation.amount !== null && operation.amount < 1n ? null : operation.amount
          return pay(user, invoices.length === 0 ? undefined : invoices[operation.invoice % invoices.length], asked)
        }
        case 'rogue':
          return false
      }
    },
  }
}

function floor(msats: bigint, code: CurrencyCode): bigint {
  const [numerator, denominator] = MSATS_FOR_UNIT[code] ?? [1n, 0n]
  return (msats * denominator) / numerator
}

function ceiling(msats: bigint, code: CurrencyCode): bigint {
  const [numerator, denominator] = MSATS_FOR_UNIT[code] ?? [1n, 0n]
  return (msats * denominator + numerator - 1n) / numerator
}

function wholeUnits(msats: bigint, code: CurrencyCode): bigint {
  return code === 'SAT' ? (msats / 1_000n) * 1_000n : floor(msats, code)
}

const OPERATIONS = 500
const BATCH = 50

const amount = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 1n, max: 20_000n }) },
  { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: 20_000_000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 2n ** 63n }) },
  { weight: 1, arbitrary: fc.constantFrom(0n, -1n, -5_000n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 10n ** 30n) },
)
const who = fc.nat({ max: 2 })
const index = fc.nat({ max: 1_000 })

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('faucet' as const), who, wallet: index, repeat: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('exchange' as const),
      who,
      from: index,
      to: index,
      amount,
      repeat: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('invoice' as const),
      who,
      wallet: index,
      amount: fc.option(amount, { freq: 5 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      who,
      invoice: index,
      amount: fc.option(amount, { freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rogue' as const), who, wallet: index, amount }) },
)

describeOnBothEngines('Money', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
  })

  it(`matches a plain model after ${OPERATIONS} random operations, valid and invalid, and every invariant holds`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { minLength: OPERATIONS, maxLength: OPERATIONS }), async (operations) => {
        const users = await threeUsers(vasp)
        const model = makeModel(users)
        const done = { yes: 0, no: 0 }
        for (const [place, each] of operations.entries()) {
          const expected = model.apply(each, place)
          const happened = await carryOut(vasp, users, model.invoices, each, place)
          expect(happened, `operation ${place}: ${describeOperation(each)}`).toBe(expected)
          done[happened ? 'yes' : 'no'] += 1
          if ((place + 1) % BATCH === 0) await expectGoodBooks(db(), users, model.balances)
        }
        await expectGoodBooks(db(), users, model.balances)
        // Some operations must succeed and some must fail, or the test proves nothing.
        expect(done.yes).toBeGreaterThan(OPERATIONS / 10)
        expect(done.no).toBeGreaterThan(OPERATIONS / 10)
      }),
      { numRuns: 1, endOnFailure: true },
    )
  })

  it('never grows when a user converts it, between wallets or by paying their own invoices, at any step', async () => {
    const step = fc.record({
      from: fc.nat({ max: 3 }),
      to: fc.nat({ max: 3 }),
      amount: fc.oneof(
        fc.bigInt({ min: 1n, max: 30n }),
        fc.bigInt({ min: 1n, max: 100_000n }),
        fc.bigInt({ min: 1n, max: 5_000_000n }),
      ),
      byInvoice: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 150, maxLength: 150 }), async (steps) => {
        const balances = { USD: 30_000n, EUR: 30_000n, JPY: 30_000n, SAT: 30_000_000n }
        const username = await newUser(vasp, balances)
        const codes = Object.keys(balances) as (keyof typeof balances)[]
        let worth = await exactWorth(db(), username)
        let conversions = 0
        for (const [place, { from, to, amount: units, byInvoice }] of steps.entries()) {
          const [source, target] = [codes[from] ?? 'SAT', codes[to] ?? 'SAT']
          const converted = byInvoice
            ? await payOwn(vasp, username, source, target, units)
            : await succeeds(
                exchange(vasp.app, { username, from: source, to: target, amount: units, requestId: `${place}` }),
              )
          if (converted) conversions += 1
          const after = await exactWorth(db(), username)
          expect(after, `after step ${place}`).toBeLessThanOrEqual(worth)
          worth = after
        }
        expect(conversions).toBeGreaterThan(30)
        expect(await allBreaches(db())).toEqual([])
      }),
      { numRuns: 1, endOnFailure: true },
    )
  })

  it('has the same amount in the request, in the invoice, in the database and in the answer, for every valid amount', async () => {
    const [payer, payee] = [await newUser(vasp, { SAT: 10n ** 15n }), await newUser(vasp, { SAT: 0n })]
    const [payerToken, payeeToken] = await Promise.all(
      [payer, payee].map((each) =>
        vasp.connectionToken(each, ['make_invoice', 'lookup_invoice', 'list_transactions', 'pay_invoice']),
      ),
    )
    const msats = fc.oneof(
      fc.integer({ min: 1, max: 10_000_000_000 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.constantFrom(1, 999, 1_000, 1_001, 10_000_000_000),
    )
    await fc.assert(
      fc.asyncProperty(msats, async (asked) => {
        const made = (await vasp.post('/invoice', payeeToken, { amount: asked })).body
        expect(made.amount).toBe(asked)
        const decoded = decodeInvoice(String(made.invoice), 'regtest')
        expect(decoded.ok && decoded.invoice.amountMsats).toBe(BigInt(asked))
        const path = `/invoices/${String(made.payment_hash)}`
        expect((await vasp.get(path, payeeToken)).body.amount).toBe(asked)
        const before = (await walletOf(db(), payee, 'SAT')).available
        const paid = await vasp.post('/payments/bolt11', payerToken, { invoice: made.invoice })
        expect(paid.body.total_budget_currency_amount).toBe(Math.ceil(asked / 1_000))
        expect((await walletOf(db(), payee, 'SAT')).available - before).toBe(BigInt(asked))
        for (const token of [payerToken, payeeToken]) {
          expect((await vasp.get(path, token)).body.amount).toBe(asked)
          const [latest] = (await vasp.get('/transactions?limit=1', token)).body.transactions as { amount: number }[]
          expect(latest?.amount).toBe(asked)
        }
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })

  it('is exact to the unit in a balance, up to the largest integer that JSON keeps exact', async () => {
    const balance = fc.oneof(
      fc.bigInt({ min: 0n, max: MAX_WIRE_INTEGER }),
      fc.constantFrom(MAX_WIRE_INTEGER, MAX_WIRE_INTEGER - 1n, 2n ** 52n + 1n),
    )
    await fc.assert(
      fc.asyncProperty(
        balance,
        fc.constantFrom(...CURRENCY_CODES),
        fc.bigInt({ min: 0n, max: 999n }),
        async (units, code, rest) => {
          const username = await newUser(vasp, { [code]: code === 'SAT' ? units * 1_000n + rest : units })
          const token = await vasp.connectionToken(username, ['get_balance'])
          const { status, body } = await vasp.get(`/balance?currency_code=${code}`, token)
          expect(status).toBe(200)
          expect(BigInt(Number(body.balance))).toBe(units)
          expect(toWireInteger(units)).toBe(body.balance)
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })

  it('is read from the database as it was written, for any 64-bit integer: alone, in a list and as JSON text', async () => {
    const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    await fc.assert(
      fc.asyncProperty(fc.array(int8, { minLength: 1, maxLength: 50 }), async (values) => {
        const [row] = await db().query<{ one: bigint; all: bigint[]; texts: string[] }>(
          {
            name: 'test_int8',
            text: `select $1::bigint as one, $2::bigint[] as all, (select json_agg(v::text) from unnest($2::bigint[]) v) as texts`,
          },
          [values[0], values],
        )
        expect(row?.one).toBe(values[0])
        expect(row?.all).toEqual(values)
        expect(row?.texts.map(BigInt)).toEqual(values)
      }),
    )
  })
})

async function threeUsers(vasp: TestVasp): Promise<User[]> {
  const cast: Partial<Record<CurrencyCode, bigint>>[] = [
    { USD: 50_000n, EUR: 20_000n, SAT: 100_000_000n },
    { SAT: 250_000_000n },
    { JPY: 15_000n, KWD: 75_000n },
  ]
  return Promise.all(cast.map(async (balances) => ({ username: await newUser(vasp, balances), balances })))
}

/** Runs one operation; false when it was refused. Any other error fails the test. */
async function carryOut(
  vasp: TestVasp,
  users: readonly User[],
  invoices: { invoice?: string }[],
  operation: Operation,
  place: number,
): Promise<boolean> {
  const { app } = vasp
  const { username, balances } = users[operation.who] ?? { username: '', balances: {} }
  const codes = Object.keys(balances) as CurrencyCode[]
  const codeAt = (position: number): CurrencyCode => codes[position % codes.length] ?? 'SAT'
  switch (operation.kind) {
    case 'faucet':
      return twice(operation.repeat, () => pullFaucet(app, username, codeAt(operation.wallet), `${place}`))
    case 'exchange': {
      const [from, to] = [codeAt(operation.from), codeAt(operation.to)]
      const request = { username, from, to, amount: operation.amount, requestId: `${place}` }
      return twice(operation.repeat, () => exchange(app, request))
    }
    case 'invoice': {
      // The schema and the form refuse amounts below one.
      const asked = operation.amount !== null && operation.amount < 1n ? 1n : operation.amount
      return succeeds(
        (async () => {
          const { invoice } = await invoiceOf(vasp, username, codeAt(operation.wallet), asked ?? undefined)
          const last = invoices.at(-1)
          if (last !== undefined) last.invoice = invoice
        })(),
      )
    }
    case 'pay': {
      const invoice = invoices.length === 0 ? undefined : invoices[operation.invoice % invoices.length]?.invoice
      const wallets = await readWallets(app.db, username)
      const amountMsats =
        operation.amount !== null && operation.amount < 1n ? undefined : (operation.amount ?? undefined)
      return succeeds(
        payInvoice(app, { username, connectionId: null, wallets, invoice: invoice ?? 'lnbcrt1no', amountMsats }),
      )
    }
    case 'rogue': {
      const { accountId } = await walletOf(app.db, username, codeAt(operation.wallet))
      const lines = [
        { accountId, amount: operation.amount === 0n ? 1n : operation.amount },
        { accountId: app.house('rounding', 'NGN'), amount: operation.amount === 0n ? -1n : -operation.amount },
      ]
      try {
        await postEntry(app.db, { kind: 'exchange', key: `rogue ${username} ${place}`, lines })
        return true
      } catch (error) {
        if (isVaspError(error) || ['LG001', '22003', '22P02'].includes(sqlState(error) ?? '')) return false
        // PGlite's own refusal of an integer beyond 64 bits has no SQLSTATE.
        if (app.db.kind === 'embedded' && sqlState(error) === undefined) return false
        throw error
      }
    }
  }
}

/** Runs the operation, and repeats it if `repeat`: a repeated request changes nothing, and has the result of the first. */
async function twice(repeat: boolean, run: () => Promise<unknown>): Promise<boolean> {
  const first = await succeeds(run())
  if (repeat) expect(await succeeds(run())).toBe(first)
  return first
}

async function succeeds(run: Promise<unknown>): Promise<boolean> {
  try {
    await run
    return true
  } catch (error) {
    if (isVaspError(error) && error.status < 500) return false
    throw error
  }
}

async function payOwn(
  vasp: TestVasp,
  username: string,
  from: CurrencyCode,
  to: CurrencyCode,
  msats: bigint,
): Promise<boolean> {
  const made = await invoiceOf(vasp, username, to, msats).catch((error: unknown) => {
    if (isVaspError(error)) return undefined
    throw error
  })
  if (made === undefined) return false
  // Only the wallet in the currency of this step may pay.
  const wallets = (await readWallets(vasp.app.db, username)).filter(({ code }) => code === from)
  const request = { username, connectionId: null, wallets, invoice: made.invoice, amountMsats: undefined }
  return succeeds(payInvoice(vasp.app, request))
}

/** All of a user's money, as an exact integer: msats multiplied by the denominators of all rates. */
async function exactWorth(db: Database, username: string): Promise<bigint> {
  const common = CURRENCY_CODES.reduce((product, code) => product * rateOf(code).denominator, 1n)
  const wallets = await readWallets(db, username)
  return wallets.reduce((sum, { code, available, held }) => {
    const units = (available + held) * common
    return sum + (code === 'SAT' ? units : (units * rateOf(code).numerator) / rateOf(code).denominator)
  }, 0n)
}

async function allBreaches(db: Database): Promise<unknown[]> {
  return [...(await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db))), ...(await recomputeBooks(db))]
}

async function expectGoodBooks(
  db: Database,
  users: readonly User[],
  balances: ReadonlyMap<string, bigint>,
): Promise<void> {
  expect(await allBreaches(db)).toEqual([])
  for (const { username } of users) {
    for (const { code, available, held } of await readWallets(db, username)) {
      expect({ username, code, available, held }).toEqual({
        username,
        code,
        available: balances.get(`${username} ${code}`),
        held: 0n,
      })
    }
  }
}

function describeOperation(operation: Operation): string {
  return JSON.stringify(operation, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
