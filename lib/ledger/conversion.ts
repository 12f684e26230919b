import type { CurrencyCode } from '../money/currencies'
import { worthInMsats, type RateTable } from '../money/ledger-units'
import { rateOf } from '../money/rates'
import type { HouseAccounts } from './accounts'
import type { Line } from './entry'

interface Side {
  readonly accountId: bigint
  readonly code: CurrencyCode
  /** Ledger units. */
  readonly amount: bigint
  /** Of the day it was agreed on; the other side's, or today's, where nothing was. */
  readonly rates?: RateTable
}

/**
 * The lines of value that leaves one account and reaches another, in whatever currencies. Everything passes through
 * millisatoshis: what leaves is worth so many (rounded down), what arrives costs so many (rounded up), and the residue
 * goes to the rounding account. So each currency sums to zero and no division is the user's gain.
 * @throws Error when what arrives is worth more than what leaves (a programmer's error).
 */
export function conversionLines(house: HouseAccounts, from: Side, to: Side): Line[] {
  return [{ accountId: from.accountId, amount: -from.amount }, ...arrivalLines(house, from, to)]
}

/** The same without the line of the account that it leaves, at the rates of the day it was agreed on. */
export function arrivalLines(
  house: HouseAccounts,
  from: Omit<Side, 'accountId'>,
  to: Side,
  rates: RateTable = rateOf,
): Line[] {
  const leavesMsats = worthInMsats(from.amount, from.code, 'down', from.rates ?? rates)
  const arrivesMsats = worthInMsats(to.amount, to.code, 'up', to.rates ?? rates)
  if (arrivesMsats > leavesMsats) throw new Error('a conversion would make money')
  return [
    { accountId: to.accountId, amount: to.amount },
    ...fxLines(house, from.code, from.amount, leavesMsats),
    ...fxLines(house, to.code, -to.amount, -arrivesMsats),
    { accountId: house('rounding', 'SAT'), amount: leavesMsats - arrivesMsats },
  ]
}

/** The house takes `amount` of a currency and gives its worth in bitcoin; bitcoin itself needs no exchange. */
function fxLines(house: HouseAccounts, code: CurrencyCode, amount: bigint, msats: bigint): Line[] {
  if (code === 'SAT') return []
  return [
    { accountId: house('fx', code), amount },
    { accountId: house('fx', 'SAT'), amount: -msats },
  ]
}
