import { badInput } from '../../errors'
import { payKeysend } from '../../payments/keysend'
import { STILL_PENDING, paymentReply } from '../payment-reply'
import type { ApiRequest } from '../message'
import { commandRoute } from '../route'
import { PayKeysendBody, PaymentReply } from '../schemas'

const LONGEST_KEY = 200

/** `POST /payments/keysend`. With an `Idempotency-Key` a repetition is the same payment, without a preimage too. */
export const payKeysendRoute = commandRoute({
  command: 'pay_keysend',
  accepts: ['connection'],
  body: PayKeysendBody,
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
      clientKey: readKey(request),
    })
    return paymentReply(deps, result, body.budget_currency_code ?? 'SAT')
  },
})

function readKey(request: ApiRequest): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > LONGEST_KEY)
    throw badInput(`Idempotency-Key is 1 to ${LONGEST_KEY} printable characters without blanks.`)
  return key
}
