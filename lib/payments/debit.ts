import type { WalletAccount } from '../ledger/accounts'
import { divide } from '../money/convert'
import { msatsInLedgerUnits } from '../money/ledger-units'

const MIN_FEE_LIMIT_MSATS = 10_000n
const PERCENT = 100n

/**
 * The maximum network fee of an amount, in msats: 1 %, rounded up because it is held, but at least 10 satoshis. Only a payment
 * through the node has one.
 */
export function feeLimitOf(amountMsats: bigint): bigint {
  const onePercent = divide(amountMsats, PERCENT, 'up')
  return onePercent > MIN_FEE_LIMIT_MSATS ? onePercent : MIN_FEE_LIMIT_MSATS
}

/** What a payment takes from a wallet, in the wallet's ledger units. */
export type DebitOf = (wallet: Pick<WalletAccount, 'code'>) => bigint

/** Inside this VASP: the amount, rounded up. */
export const internalDebit =
  (amountMsats: bigint): DebitOf =>
  ({ code }) =>
    msatsInLedgerUnits(amountMsats, code, 'up')

/** Through the node: the amount and the maximum network fee, rounded up together. */
export const lightningDebit = (amountMsats: bigint): DebitOf => internalDebit(amountMsats + feeLimitOf(amountMsats))

/** The first wallet, in the user's order, that covers the debit. */
export function firstThatCovers(wallets: readonly WalletAccount[], debitOf: DebitOf): WalletAccount | undefined {
  return wallets.find((each) => each.available >= debitOf(each))
}
