import { verifyPostTransactionCallbackSignature } from '@uma-sdk/core'
import { z } from 'zod'
import { statement } from '../../platform/db/statement'
import { readBody } from '../../platform/http/read-body'
import { parseJson } from '../../platform/parse-json'
import { umaFault } from '../fault'
import { NO_NONCES, verifyMessage, type SignedMessage } from '../keys/verify-message'
import { optional } from '../messages/unset'
import { refuseUnknownDomain } from './answer-lnurlp'
import type { Call, ServerPorts } from './types'

const MAX_BYTES = 16 * 1024
const MAX_UTXOS = 100

/** Other versions of the protocol send more fields. */
const Message = z.object({
  // The Go SDK writes an empty list as null.
  utxos: optional(z.array(z.object({ utxo: z.string().max(200), amountMsats: z.number() })).max(MAX_UTXOS)).transform(
    (utxos) => utxos ?? [],
  ),
  vaspDomain: z.string().max(255),
  signature: z.string().regex(/^[0-9a-f]{16,200}$/i),
  signatureNonce: z.string().min(1).max(64),
  signatureTimestamp: z.number(),
})

/** The payment behind one of our callback URLs, and the VASP that received the URL. */
const FIND = statement<{ domain: string; user_id: string; payment_hash: string }>(
  'uma_callback_of',
  `select split_part(r.payer_address, '@', 2) as domain, i.user_id, i.payment_hash
         from uma_pay_requests r join invoices i on i.id = r.invoice_id where r.callback_id = $1
         union all
         select split_part(receiver_address, '@', 2), user_id, payment_hash from quotes where callback_id = $1`,
)
/**
 * `POST /uma/callback/{id}` (UMAD-07): the other VASP's report about a settled payment. It is verified, becomes an event of
 * the payment, and never moves money, because only its nonce and time are signed.
 */
export async function answerCallback(ports: ServerPorts, { request, rest, belongsTo }: Call): Promise<unknown> {
  const message = Message.safeParse(parseJson(await readBody(request, MAX_BYTES))).data
  if (message === undefined) throw umaFault('PARSE_UTXO_CALLBACK_ERROR', 'The callback is not valid.')
  const [known] = await ports.db.query(FIND, [rest])
  if (known === undefined) throw umaFault('REQUEST_NOT_FOUND', 'No such payment.')
  const { vaspDomain: domain, signatureNonce: nonce, signatureTimestamp: timestampSeconds } = message
  refuseUnknownDomain(ports, domain)
  if (domain !== known.domain) throw umaFault('FORBIDDEN', 'The payment was with another VASP.')
  const holds: SignedMessage['holds'] = (keys) => verifyPostTransactionCallbackSignature(message, keys, NO_NONCES)
  const signed = { domain, nonce, timestampSeconds, direction: 'incoming', holds } as const
  await verifyMessage(ports, signed)
  belongsTo({ userId: known.user_id, paymentHash: known.payment_hash })
  return { status: 'OK' }
}
