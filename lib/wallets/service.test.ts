import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Application } from '../backend/application'
import { NO_EVENTS } from '../events/recorder'
import { CURRENCY_CODES, rateOf, type CurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { isVaspError } from '../platform/errors'
import { exchange } from './service'

const code = fc.constantFrom(...CURRENCY_CODES)
const COMMON = CURRENCY_CODES.reduce((product, each) => product * rateOf(each).denominator, 1n)

describe('converting', () => {
  it('never gains by converting there and back, for any amount, a hundred thousand times', async () => {
    const till = makeTill(1_000_000_000n)
    let worth = till.worth()
    let count = 0
    const pairs = CURRENCY_CODES.flatMap((from) => CURRENCY_CODES.filter((to) => to !== from).map((to) => [from, to]))
    for (let amount = 1n; count < 100_000; amount++) {
      for (const [from = 'SAT', to = 'SAT'] of pairs) {
        count += 2
        const there = await till.convert(from, to, amount)
        if (there !== undefined) await till.convert(to, from, there)
        if (till.worth() > worth) expect.fail(`${amount} ${from} to ${to} and back gained`)
        worth = till.worth()
      }
    }
    expect(till.done()).toBeGreaterThan(50_000)
  })

  it('never gains at any step of any sequence', async () => {
    const step = fc.tuple(
      code,
      code,
      fc.oneof(fc.bigInt({ min: 1n, max: 40n }), fc.bigInt({ min: 1n, max: 10n ** 7n })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const till = makeTill(100_000n)
        let worth = till.worth()
        for (const [from, to, amount] of steps) {
          await till.convert(from, to, amount)
          expect(till.worth()).toBeLessThanOrEqual(worth)
          worth = till.worth()
        }
      }),
      { numRuns: 300 },
    )
  })

  it('loses less than the sum of one msat and one unit of the other currency', async () => {
    await fc.assert(
      fc.asyncProperty(code, code, fc.bigInt({ min: 1n, max: 10n ** 9n }), async (from, to, amount) => {
        const till = makeTill(10n ** 9n)
        const before = till.worth()
        if ((await till.convert(from, to, amount)) === undefined) return
        const oneUnit = to === 'SAT' ? COMMON : (rateOf(to).numerator * COMMON) / rateOf(to).denominator
        expect(before - till.worth()).toBeLessThan(oneUnit + COMMON)
      }),
    )
  })

  it.each([0n, -1n, -(10n ** 30n)])('refuses %s as worth less than one unit', async (amount) => {
    for (const [from, to] of [
      ['USD', 'SAT'],
      ['SAT', 'USD'],
    ] as const) {
      await expect(makeTill(1_000n).ask(from, to, amount)).rejects.toMatchObject({ status: 400, code: 'OTHER' })
    }
  })

  it.each([2n ** 62n, 2n ** 63n, 10n ** 30n])(
    'refuses %s, more than all bitcoin, for insufficient balance',
    async (amount) => {
      for (const [from, to] of [
        ['USD', 'SAT'],
        ['SAT', 'NGN'],
        ['KWD', 'NGN'],
      ] as const) {
        await expect(makeTill(1_000n).ask(from, to, amount)).rejects.toMatchObject({
          status: 400,
          code: 'INSUFFICIENT_BALANCE',
        })
      }
    },
  )
})

/** A user with a wallet in every currency: the real `exchange` on a fake ledger of two statements. */
function makeTill(units: bigint): {
  ask(from: CurrencyCode, to: CurrencyCode, amount: bigint): Promise<bigint>
  /** Undefined when it was refused. */
  convert(from: CurrencyCode, to: CurrencyCode, amount: bigint): Promise<bigint | undefined>
  /** The exact sum of all wallets, in msats times `COMMON`. */
  worth(): bigint
  done(): number
} {
  const balances = CURRENCY_CODES.map(() => units)
  let done = 0
  const answer = (name: string, params: readonly unknown[] = []): unknown[] => {
    if (name === 'wallet_accounts') {
      return CURRENCY_CODES.map((each, index) => ({
        walletId: BigInt(index),
        code: each,
        accountId: BigInt(index),
        available: balances[index],
        held: 0n,
      }))
    }
    if (name !== 'post_entry') throw new Error(`${name} is not in this ledger`)
    const [, , ids, amounts] = params as [string, string, bigint[], bigint[]]
    const moves = ids.map((id, place) => ({ at: Number(id), by: amounts[place] ?? 0n }))
    if (moves.some(({ at, by }) => (balances[at] ?? 0n) + by < 0n && at < balances.length)) {
      throw Object.assign(new Error('overdraft'), {
        severity: 'ERROR',
        code: '23514',
        constraint: 'ledger_accounts_balance_not_negative',
      })
    }
    for (const { at, by } of moves) if (at < balances.length) balances[at] = (balances[at] ?? 0n) + by
    done += 1
    return [{ entry_id: BigInt(done), replayed: false }]
  }
  const db = {
    query: async (statement: { name: string }, params?: readonly unknown[]) => answer(statement.name, params),
  }
  const app = {
    events: NO_EVENTS,
    db: db as unknown as Database,
    audit: { refusePaymentsAfterBreach: () => undefined },
    house: () => 1_000n,
    rates: { current: () => ({ rateOf }) },
  } as unknown as Application
  const ask = (from: CurrencyCode, to: CurrencyCode, amount: bigint): Promise<bigint> =>
    exchange(app, { username: 'somebody', from, to, amount, requestId: 'any' })
  return {
    ask,
    convert: async (from, to, amount) => {
      try {
        return await ask(from, to, amount)
      } catch (error) {
        if (isVaspError(error)) return undefined
        throw error
      }
    },
    worth: () =>
      CURRENCY_CODES.reduce((sum, each, index) => {
        const own = (balances[index] ?? 0n) * COMMON
        return sum + (each === 'SAT' ? own : (own * rateOf(each).numerator) / rateOf(each).denominator)
      }, 0n),
    done: () => done,
  }
}
