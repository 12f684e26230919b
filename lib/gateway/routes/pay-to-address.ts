import { payToAddress } from '../../quotes/pay-to-address'
import { endOf } from '../../payments/outcome'
import { parseAddress } from '../../uma/address'
import { walletIn } from '../caller'
import { SPEAKS_TO_NOBODY } from '../abroad'
import { IdempotencyHeaders, readIdempotencyKey } from '../idempotency-key'
import { STILL_PENDING, replyOf } from '../payment-reply'
import { toQuoteReply } from '../quote-reply'
import { commandRoute } from '../route'
import { PayToAddressBody, PayToAddressReply } from '../schemas'

/**
 * `POST /payments/lud16`: a quote with the sending side locked, and its payment. With an `Idempotency-Key` a repetition is the
 * same payment.
 */
export const payToAddressRoute = commandRoute({
  command: 'pay_to_address',
  accepts: ['connection'],
  body: PayToAddressBody,
  headers: IdempotencyHeaders,
  reply: PayToAddressReply,
  refusals: { '404': 'The receiver is not known at the address', '501': SPEAKS_TO_NOBODY, '504': STILL_PENDING },
  run: ({ deps, caller, body, request }) => {
    const key = readIdempotencyKey(request)
    const wallet = walletIn(caller, body.sending_currency_code)
    const address = parseAddress(body.receiver_address)
    return {
      whenDone: async () => {
        const { quote, result } = await payToAddress(deps, {
          username: caller.username,
          connectionId: caller.tokenId,
          wallet,
          address,
          receivingCode: body.receiving_currency_code ?? undefined,
          totalSendingAmount: BigInt(body.sending_currency_amount),
          beforePaying: toQuoteReply,
          key,
        })
        const paid = await endOf(deps, result)
        const reply = await replyOf(deps, paid, body.budget_currency_code ?? quote.sendingCode)
        return { ...reply, quote: toQuoteReply(quote) }
      },
    }
  },
})
