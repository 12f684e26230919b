import { toWireInteger } from '../../money/convert'
import { currencyOf } from '../../money/currencies'
import { fromLedgerUnits, worthInMsats } from '../../money/ledger-units'
import { walletIn } from '../caller'
import { commandRoute } from '../route'
import { BalanceQuery, BalanceReply } from '../schemas'

/**
 * `GET /balance`: available money, holds excluded, rounded down. Without a code the default currency's, or, when
 * BALANCE_DEFAULT_UNIT says msats, what the default wallet is worth in millisatoshis.
 */
export const balanceRoute = commandRoute({
  command: 'get_balance',
  accepts: ['connection'],
  query: BalanceQuery,
  reply: BalanceReply,
  run: ({ deps, caller, query }) => {
    if (query.currency_code === undefined && deps.settings.balanceDefaultUnit === 'msats') {
      const [{ available, code }] = caller.wallets
      return { balance: toWireInteger(worthInMsats(available, code, 'down')) }
    }
    const wallet = query.currency_code === undefined ? caller.wallets[0] : walletIn(caller, query.currency_code)
    return {
      balance: toWireInteger(fromLedgerUnits(wallet.available, wallet.code, 'down')),
      currency: currencyOf(wallet.code),
    }
  },
})
