import type { WalletAccount } from '../ledger/accounts'
import type { CurrencyCode, RateTable } from '../money/currencies'
import { msatsInLedgerUnits, toLedgerUnits } from '../money/ledger-units'
import { budgetAmount, feeLimitOf, firstThatCovers, internalDebit, lightningDebit, type DebitOf } from './debit'

/** A gateway requests the estimate for an amount rounded up to whole satoshis: the exact amount may be lower by up to this. */
const MAX_ROUNDED_MSATS = 999n

/**
 * The maximum that a payment of this amount can deduct from a budget at these rates and balances, in smallest units of the budget's
 * currency.
 *
 * A currency other than SAT means a quote or a payment to an address: its total, fees included, is debited from the wallet in
 * that currency. SAT may also mean an invoice or a keysend, inside this VASP or to another node. A payment inside debits
 * the first wallet that covers the amount; a payment to another node, the first that also covers the fee limit.
 */
export function estimateBudget(
  wallets: readonly [WalletAccount, ...WalletAccount[]],
  sending: { readonly amount: bigint; readonly code: CurrencyCode },
  budgetCode: CurrencyCode,
  rates: RateTable,
): bigint {
  const units = toLedgerUnits(sending.amount, sending.code)
  if (sending.code !== 'SAT') return budgetAmount(units, sending.code, budgetCode, rates)
  const withFee = units + feeLimitOf(units)
  const through =
    (msats: bigint) =>
    ({ code }: Pick<WalletAccount, 'code'>) =>
      budgetAmount(msatsInLedgerUnits(msats, code, 'up', rates), code, budgetCode, rates)
  const estimates = [
    ...mayPay(wallets, units, (msats) => internalDebit(msats, rates)).map(through(units)),
    ...mayPay(wallets, units, (msats) => lightningDebit(msats, rates)).map(through(withFee)),
  ]
  // No wallet covers the amount, so nothing will be booked. The estimate is for the default wallet.
  if (estimates.length === 0) return through(withFee)(wallets[0])
  return estimates.reduce((most, each) => (each > most ? each : most))
}

/** The wallets that may pay: those that cover the unrounded amount, up to the first that covers the rounded amount. */
function mayPay(
  wallets: readonly WalletAccount[],
  msats: bigint,
  debit: (msats: bigint) => DebitOf,
): readonly WalletAccount[] {
  const last = firstThatCovers(wallets, debit(msats))
  const upToLast = last === undefined ? wallets : wallets.slice(0, wallets.indexOf(last) + 1)
  return upToLast.filter((each) => each.available >= debit(msats - MAX_ROUNDED_MSATS)(each))
}
