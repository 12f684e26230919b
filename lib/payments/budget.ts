import type { CurrencyCode } from '../money/currencies'
import { fromLedgerUnits, msatsInLedgerUnits, worthInMsats, type RateTable } from '../money/ledger-units'

/**
 * `total_budget_currency_amount`: what a payment takes from the budget, in whole smallest units of the budget's
 * currency. The debit itself where the wallet has that currency; else the debit, fees included, through the rates stored
 * with the payment. Rounded up at each step, at least 1.
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
