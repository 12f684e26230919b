import type { CallEvent } from 'uma-auth-vasp'
import { z } from 'zod'
import { decodeInvoice } from '../lightning/bolt11'
import type { Network } from '../lightning/node'
import { hashOfPreimage } from '../lightning/preimage'
import { parseJson } from '../platform/parse-json'

/** Routes whose request or response names a payment, an invoice or a quote. */
const NAMES_PAYMENT = /^(?:POST \/(?:payments\/|quote\/|invoice$)|GET \/(?:invoices\/|quote\/))/
const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/i)
  .transform((hash) => hash.toLowerCase())
const Named = z.object({
  payment_hash: Hash.optional().catch(undefined),
  preimage: Hash.optional().catch(undefined),
  invoice: z.string().optional().catch(undefined),
})

/**
 * The hash of the payment, quote or invoice that a call is about, taken from its path, its response, the preimage in its
 * response, or the invoice to pay.
 * Undefined when none of these has one, as for a keysend that failed.
 */
export function paymentHashOf(
  { route, path, requestText, responseBody, claims }: CallEvent,
  network: Network,
): string | undefined {
  if (claims === undefined || !NAMES_PAYMENT.test(route)) return undefined
  const inPath = Hash.safeParse(path.slice(path.lastIndexOf('/') + 1)).data
  if (inPath !== undefined) return inPath
  const answered = Named.safeParse(responseBody).data
  if (answered?.payment_hash !== undefined) return answered.payment_hash
  if (typeof answered?.preimage === 'string') return hashOfPreimage(answered.preimage)
  const { invoice = '' } = Named.safeParse(parseJson(requestText ?? '')).data ?? {}
  const decoding = decodeInvoice(invoice, network)
  return decoding.ok ? decoding.invoice.paymentHash : undefined
}
