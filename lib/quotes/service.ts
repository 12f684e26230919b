import type { Deps } from '../deps'
import { VaspError } from '../platform/errors'
import { decodeInvoice } from '../lightning/bolt11'
import type { Paid, PendingPayment } from '../payments/types'
import { pay } from '../payments/service'
import { readQuoteToPay } from './queries'
import type { Quote } from './types'

export interface Execution {
  readonly username: string
  /** Null when the user pays in the dashboard. */
  readonly connectionId: string | null
  readonly paymentHash: string
}

export interface Executed {
  readonly quote: Quote
  readonly result: Paid | PendingPayment
}

/**
 * Pays a quote, from its stored numbers only: the wallet pays what was promised, whatever rates and balances did since. One that
 * failed may be tried again until the quote expires, by the database's clock.
 * @throws VaspError as `pay` does, and 404 NOT_FOUND when the user has no such quote.
 */
export async function executeQuote(deps: Deps, execution: Execution): Promise<Executed> {
  const { username, connectionId } = execution
  const found = await readQuoteToPay(deps.db, username, execution.paymentHash)
  if (found === undefined) throw new VaspError(404, 'NOT_FOUND', 'There is no quote with this hash.')
  const { quote, invoice, terms } = found
  const decoding = decodeInvoice(invoice, deps.node.identity.network)
  if (!decoding.ok) throw new Error(`the invoice of quote ${quote.paymentHash} cannot be read`)
  const { payee, description, descriptionHash } = decoding.invoice
  const result = await pay(deps, {
    username,
    connectionId,
    idempotencyKey: null,
    wallets: [found.wallet],
    paymentHash: quote.paymentHash,
    hashIsGiven: true,
    invoice,
    amountMsats: quote.amountMsats,
    payee,
    description: quote.comment ?? description ?? null,
    descriptionHash: descriptionHash ?? null,
    expiresAtSeconds: found.expiresAtSeconds,
    keysendPreimage: null,
    metadata: null,
    quote: terms,
    invoiceStatus: found.invoiceStatus,
    isNew: !found.isBegun,
  })
  return { quote, result }
}
