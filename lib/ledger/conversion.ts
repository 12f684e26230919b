import type { CurrencyCode, RateTable } from '../money/currencies'
import { worthInMsats } from '../money/ledger-units'
import type { HouseAccounts } from './accounts'

/** One account's part of an entry, in ledger units: positive for a credit, negative for a debit. */
export interface Line {
  readonly accountId: bigint
  readonly amount: bigint
}

interface Side {
  readonly accountId: bigint
  readonly code: CurrencyCode
  /** Ledger units. */
  readonly amount: bigint
  readonly rates: RateTable
}

/** The credit, and the operator's fee in millisatoshis. */
interface Arrival extends Side {
  readonly feeMsats?: bigint
}

/**
 * The ledger lines of a transfer from one account to another, in any two currencies. Both amounts are converted to
 * millisatoshis: the debit rounded down, the credit rounded up. The difference less the fee goes to the rounding account.
 * It is -1 where a quote rounds in the user's favour, and never less. A transfer of the same amount in one currency needs
 * no exchange and leaves no difference.
 * @throws Error when the credit and the fee are worth more than the debit (a programmer's error).
 */
export function conversionLines(house: HouseAccounts, from: Side, to: Arrival): Line[] {
  return [{ accountId: from.accountId, amount: -from.amount }, ...arrivalLines(house, from, to)]
}

/** Like `conversionLines`, but without the line of the debited account. */
export function arrivalLines(house: HouseAccounts, from: Omit<Side, 'accountId'>, to: Arrival): Line[] {
  const { feeMsats = 0n } = to
  if (from.code === to.code && from.amount === to.amount && feeMsats === 0n)
    return [{ accountId: to.accountId, amount: to.amount }]
  const leavesMsats = worthInMsats(from.amount, from.code, 'down', from.rates)
  const arrivesMsats = worthInMsats(to.amount, to.code, 'up', to.rates)
  if (arrivesMsats + feeMsats > worthInMsats(from.amount, from.code, 'up', from.rates))
    throw new Error('a conversion would create money')
  return [
    { accountId: to.accountId, amount: to.amount },
    ...fxLines(house, from.code, from.amount, leavesMsats),
    ...fxLines(house, to.code, -to.amount, -arrivesMsats),
    ...(feeMsats === 0n ? [] : [{ accountId: house('fees', 'SAT'), amount: feeMsats }]),
    { accountId: house('rounding', 'SAT'), amount: leavesMsats - arrivesMsats - feeMsats },
  ]
}

/** The operator takes `amount` of a currency and gives its value in bitcoin. Bitcoin needs no exchange. */
function fxLines(house: HouseAccounts, code: CurrencyCode, amount: bigint, msats: bigint): Line[] {
  if (code === 'SAT') return []
  return [
    { accountId: house('fx', code), amount },
    { accountId: house('fx', 'SAT'), amount: -msats },
  ]
}

/** Sums the lines of each account and drops sums of zero: an entry has one posting for each account. */
export function mergeLines(lines: readonly Line[]): Line[] {
  const byAccount = new Map<bigint, bigint>()
  for (const { accountId, amount } of lines) byAccount.set(accountId, (byAccount.get(accountId) ?? 0n) + amount)
  return [...byAccount].filter(([, amount]) => amount !== 0n).map(([accountId, amount]) => ({ accountId, amount }))
}
