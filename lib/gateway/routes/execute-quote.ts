import { executeQuote } from '../../quotes/execute'
import { STILL_PENDING, paymentReply } from '../payment-reply'
import { commandRoute } from '../route'
import { ExecuteQuoteBody, PaymentHashParams, PaymentReply } from '../schemas'

/** `POST /quote/{payment_hash}`: pays a quote, once however often it is asked for. */
export const executeQuoteRoute = commandRoute({
  command: 'execute_quote',
  accepts: ['connection'],
  params: PaymentHashParams,
  body: ExecuteQuoteBody,
  reply: PaymentReply,
  refusals: { '504': STILL_PENDING },
  run: async ({ deps, caller, params, body }) => {
    const { quote, result } = await executeQuote(deps, {
      username: caller.username,
      connectionId: caller.tokenId,
      paymentHash: params.payment_hash,
    })
    return paymentReply(deps, result, body.budget_currency_code ?? quote.sendingCode)
  },
})
