import type { Deps } from '../deps'
import { VaspError, badInput } from '../platform/errors'
import { readWallets } from '../ledger/accounts'
import { conversionLines } from '../ledger/conversion'
import { insufficientBalance, postEntry } from '../ledger/entry'
import type { CurrencyCode } from '../money/currencies'
import { msatsInLedgerUnits, worthInMsats } from '../money/ledger-units'
import { ALL_BITCOIN_MSATS } from '../money/limits'

/**
 * Converts between two wallets of one person, at the rate of the moment, rounded down for the person both times (worth
 * in millisatoshis, then units of the other currency). Returns what arrived, in ledger units.
 * @throws VaspError 400 for the same wallet twice or an amount worth less than one unit, INSUFFICIENT_BALANCE, 404.
 */
export async function exchange(
  deps: Deps,
  request: {
    readonly username: string
    readonly from: CurrencyCode
    readonly to: CurrencyCode
    readonly amount: bigint
    /** The same request sent twice is done once. */
    readonly requestId: string
  },
): Promise<bigint> {
  deps.audit.refusePaymentsAfterBreach()
  const wallets = await readWallets(deps.db, request.username)
  const from = wallets.find((wallet) => wallet.code === request.from)
  const to = wallets.find((wallet) => wallet.code === request.to)
  if (from === undefined || to === undefined) throw new VaspError(404, 'NOT_FOUND', 'There is no such wallet.')
  if (from === to) throw badInput('Choose two different wallets.')
  const msats = request.amount < 1n ? 0n : worthInMsats(request.amount, from.code, 'down')
  // Nobody has it, and the ledger's integers of 64 bits need not hold what it would turn into.
  if (msats > ALL_BITCOIN_MSATS) throw insufficientBalance()
  const arrives = msatsInLedgerUnits(msats, to.code, 'down')
  if (arrives < 1n) throw badInput(`This is worth less than one unit of ${to.code}.`)
  const lines = conversionLines(
    deps.house,
    { accountId: from.accountId, code: from.code, amount: request.amount },
    { accountId: to.accountId, code: to.code, amount: arrives },
  )
  await postEntry(deps.db, { kind: 'exchange', key: `exchange:${request.username}:${request.requestId}`, lines })
  return arrives
}
