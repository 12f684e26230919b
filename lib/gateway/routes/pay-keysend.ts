import { payKeysend } from '../../payments/keysend'
import { IdempotencyHeaders, readIdempotencyKey } from '../idempotency-key'
import { STILL_PENDING, paymentReply } from '../payment-reply'
import { commandRoute } from '../route'
import { PayKeysendBody, PaymentReply } from '../schemas'

/** `POST /payments/keysend`. With an `Idempotency-Key` a repetition is the same payment, without a preimage too. */
export const payKeysendRoute = commandRoute({
  command: 'pay_keysend',
  accepts: ['connection'],
  body: PayKeysendBody,
  headers: IdempotencyHeaders,
  reply: PaymentReply,
  refusals: { '404': 'Nobody here has the name in record 696969', '504': STILL_PENDING },
  run: async ({ deps, caller, body, request }) => {
    const result = await payKeysend(deps, {
      username: caller.username,
      connectionId: caller.tokenId,
      wallets: caller.wallets,
      amountMsats: BigInt(body.amount),
      destination: body.pubkey,
      preimage: body.preimage ?? undefined,
      records: body.tlv_records ?? [],
      clientKey: readIdempotencyKey(request),
    })
    return paymentReply(deps, result, body.budget_currency_code ?? 'SAT')
  },
})
