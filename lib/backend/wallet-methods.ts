import { addressOf, MAX_WIRE_INTEGER } from 'uma-auth-vasp'
import { multiplierOf } from '../money/currencies'
import { fromLedgerUnits, worthInMsats } from '../money/ledger-units'
import { limitsOf } from '../money/limits'
import { estimateBudget } from '../payments/budget-estimate'
import { badInput } from '../platform/errors'
import { walletIn } from './callers'
import type { MakeMethods } from './methods'

/** Colour of the VASP in a wallet app's list. */
const COLOR = '#0F5B4C'

export const walletMethods: MakeMethods<'getInfo' | 'estimateBudget' | 'getBalance'> = ({ node, settings, rates }) => ({
  getInfo({ username, wallets }) {
    const { rateOf } = rates.current()
    return {
      lud16: addressOf(username, settings.vaspDomain),
      color: COLOR,
      pubkey: node.identity.publicKeyHex,
      // The specification has no word for simnet, another private network.
      network: node.identity.network === 'simnet' ? 'regtest' : node.identity.network,
      currencies: wallets.map(({ code }) => ({
        code,
        multiplier: multiplierOf(code, rateOf),
        ...limitsOf(code, rateOf),
      })),
    }
  },

  estimateBudget({ wallets }, { sendingAmount, sendingCurrencyCode, budgetCurrencyCode }) {
    const sending = { amount: sendingAmount, code: sendingCurrencyCode }
    const budgetAmount = estimateBudget(wallets, sending, budgetCurrencyCode, rates.current().rateOf)
    if (budgetAmount > MAX_WIRE_INTEGER)
      throw badInput('sending_currency_amount is too large for this budget currency.')
    return { budgetAmount }
  },

  /** Available money, holds excluded, rounded down. BALANCE_DEFAULT_UNIT applies to a call without a currency. */
  getBalance(caller, { currencyCode }) {
    if (currencyCode === undefined && settings.balanceDefaultUnit === 'msats') {
      const [{ available, code }] = caller.wallets
      return { amount: worthInMsats(available, code, 'down', rates.current().rateOf), currencyCode: undefined }
    }
    const wallet = currencyCode === undefined ? caller.wallets[0] : walletIn(caller, currencyCode)
    return { amount: fromLedgerUnits(wallet.available, wallet.code, 'down'), currencyCode: wallet.code }
  },
})
