import type { WalletAccount } from '../ledger/accounts'
import type { NodeIdentity } from '../lightning/node'
import type { CurrencyCode, RateTable } from '../money/currencies'
import { inSats } from '../money/format'
import { divide, fromLedgerUnits, msatsInLedgerUnits, worthInMsats } from '../money/ledger-units'
import { MAX_PAYMENT_MSATS } from '../money/limits'
import { badInput } from '../platform/errors'

const MIN_FEE_LIMIT_MSATS = 10_000n
const PERCENT = 100n

/**
 * The maximum network fee for an amount, in msats: 1 %, rounded up because it is held, but at least 10 satoshis. Only a payment
 * through the node has one.
 */
export function feeLimitOf(amountMsats: bigint): bigint {
  const onePercent = divide(amountMsats, PERCENT, 'up')
  return onePercent > MIN_FEE_LIMIT_MSATS ? onePercent : MIN_FEE_LIMIT_MSATS
}

/** The amount that a payment debits from a wallet, in the wallet's ledger units. */
export type DebitOf = (wallet: Pick<WalletAccount, 'code'>) => bigint

/** Inside this VASP: the amount, rounded up. */
export const internalDebit =
  (amountMsats: bigint, rates: RateTable): DebitOf =>
  ({ code }) =>
    msatsInLedgerUnits(amountMsats, code, 'up', rates)

/** Through the node: the amount and the maximum network fee, rounded up together. */
export const lightningDebit = (amountMsats: bigint, rates: RateTable): DebitOf =>
  internalDebit(amountMsats + feeLimitOf(amountMsats), rates)

/** The first wallet, in the user's order, that covers the debit. */
export function firstThatCovers(wallets: readonly WalletAccount[], debitOf: DebitOf): WalletAccount | undefined {
  return wallets.find((each) => each.available >= debitOf(each))
}

/** @throws VaspError 400 for an amount above the limit for one payment. */
export function refuseOverLimit(amountMsats: bigint): void {
  if (amountMsats > MAX_PAYMENT_MSATS) throw badInput('The amount is above the limit for one payment.')
}

/** @throws VaspError 400 for an amount that the node cannot send. It is checked before anything is held. */
export function refuseBelowNodeMinimum(
  { node }: { readonly node: { readonly identity: Pick<NodeIdentity, 'minimumMsats'> } },
  amountMsats: bigint,
): void {
  const { minimumMsats } = node.identity
  if (amountMsats < minimumMsats) throw badInput(`A payment to another node must be at least ${inSats(minimumMsats)}.`)
}

/**
 * `total_budget_currency_amount`: the amount to deduct from the budget, in whole smallest units of the budget's
 * currency. The debit itself if the wallet is in that currency; otherwise the debit, fees included, converted at the rates
 * stored with the payment. Rounded up at each step, at least 1.
 */
export function budgetAmount(
  debit: bigint,
  walletCode: CurrencyCode,
  budgetCode: CurrencyCode,
  rates: RateTable,
): bigint {
  const units =
    walletCode === budgetCode
      ? debit
      : msatsInLedgerUnits(worthInMsats(debit, walletCode, 'up', rates), budgetCode, 'up', rates)
  const amount = fromLedgerUnits(units, budgetCode, 'up')
  return amount < 1n ? 1n : amount
}
