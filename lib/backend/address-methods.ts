import { assertQuote, MAX_WIRE_INTEGER, type Quote } from 'uma-auth-vasp'
import { multiplierOf, type CurrencyCode } from '../money/currencies'
import { awaitResult } from '../payments/service'
import { epochSeconds } from '../platform/clock'
import { quoteAddress } from '../quotes/create'
import { executeQuote, payToAddress } from '../quotes/service'
import type { Quote as OwnQuote } from '../quotes/types'
import { parseAddress } from '../uma/address'
import { lookUp } from '../uma/client/look-up'
import { walletIn } from './callers'
import type { MakeMethods } from './methods'
import { awaitPayment, toPayment } from './payment-methods'

/** Each of these methods except `executeQuote` may wait for another VASP. Outbound requests have their own limit (`limits.runOutbound`). */
export const addressMethods: MakeMethods<'lookupUser' | 'fetchQuote' | 'executeQuote' | 'payToAddress'> = (app) => ({
  async lookupUser({ username }, { receiverAddress, baseSendingCurrencyCode: base }, { slot }) {
    const address = parseAddress(receiverAddress)
    slot.release()
    const { currencies, rates } = await app.limits.runOutbound(username, () => lookUp(app, username, address))
    const baseMsatsPerUnit = base === undefined ? 1 : multiplierOf(base, rates.rateOf)
    return currencies.map(({ code, symbol, name, decimals, msatsPerUnit, min, max }) => ({
      code,
      symbol,
      name,
      decimals,
      multiplier: msatsPerUnit / baseMsatsPerUnit,
      // A gateway accepts no integer below 1, and JSON readers round integers above 2^53 - 1.
      min: min < 1n ? 1n : min,
      max: max > MAX_WIRE_INTEGER ? MAX_WIRE_INTEGER : max,
    }))
  },

  async fetchQuote(caller, { receiverAddress, sendingCurrencyCode, receivingCurrencyCode, ...locked }, { slot }) {
    const { username, displayName: payerName, tokenId: connectionId } = caller
    const wallet = walletIn(caller, sendingCurrencyCode)
    const address = parseAddress(receiverAddress)
    slot.release()
    return app.limits.runOutbound(username, async () => {
      const request = { username, payerName, connectionId, wallet, receivingCode: receivingCurrencyCode, ...locked }
      return toQuote((await quoteAddress(app, address, request)).quote)
    })
  },

  async executeQuote({ username, tokenId }, { paymentHash, budgetCurrencyCode }, context) {
    const { quote, result } = await executeQuote(app, { username, connectionId: tokenId, paymentHash })
    return toPayment(app, await awaitPayment(app, result, 'quote', context), budgetCurrencyCode ?? quote.sendingCode)
  },

  async payToAddress(caller, { receiverAddress, sendingCurrencyCode, sendingAmount, ...input }, context) {
    const { username, displayName: payerName, tokenId } = caller
    const wallet = walletIn(caller, sendingCurrencyCode)
    const address = parseAddress(receiverAddress)
    context.slot.release()
    const { quote, result } = await payToAddress(app, {
      username,
      payerName,
      connectionId: tokenId,
      wallet,
      address,
      receivingCode: input.receivingCurrencyCode,
      totalSendingAmount: sendingAmount,
      beforePaying: (found) => assertQuote(toQuote(found)),
      key: context.idempotencyKey ?? null,
    })
    const payment = await toPayment(app, await awaitResult(app, result, 'quote'), input.budgetCurrencyCode)
    return { ...payment, quote: toQuote(quote) }
  },
})

function toQuote(quote: OwnQuote): Quote<CurrencyCode> {
  return {
    sendingCurrencyCode: quote.sendingCode,
    receivingCurrency: quote.receivingCurrency,
    paymentHash: quote.paymentHash,
    createdAtSeconds: epochSeconds(quote.createdAt),
    expiresAtSeconds: epochSeconds(quote.expiresAt),
    multiplier: quote.multiplier,
    fees: quote.fees,
    totalSendingAmount: quote.totalSendingAmount,
    totalReceivingAmount: quote.totalReceivingAmount,
  }
}
