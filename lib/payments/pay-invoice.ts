import type { WalletAccount } from '../ledger/accounts'
import { decodeInvoice } from '../lightning/bolt11'
import { badInput } from '../platform/errors'
import { refuseOverLimit } from './debit'
import type { PaymentPorts } from './methods/method'
import { pay } from './service'
import type { Paid, PendingPayment } from './types'

export interface PayRequest {
  readonly username: string
  /** Null when the user pays in the dashboard. */
  readonly connectionId: string | null
  /** The wallets that may pay, in order of preference. */
  readonly wallets: readonly WalletAccount[]
  readonly invoice: string
  /** Required for an invoice without an amount. */
  readonly amountMsats: bigint | undefined
  /** The maximum debit that the user confirmed, in ledger units of the one wallet given. */
  readonly maxDebit?: bigint
}

/**
 * Pays a BOLT-11 invoice: one of this VASP at once, any other through the node.
 * @throws VaspError as `pay` does, and 400 OTHER when the invoice is invalid or the amounts do not agree.
 */
export async function payInvoice(ports: PaymentPorts, request: PayRequest): Promise<Paid | PendingPayment> {
  const { username, connectionId, wallets, maxDebit } = request
  const decoding = decodeInvoice(request.invoice, ports.node.identity.network)
  if (!decoding.ok) throw badInput(decoding.reason)
  const { paymentHash, invoice, payee, description, descriptionHash, expiresAtSeconds } = decoding.invoice
  return pay(ports, {
    username,
    connectionId,
    idempotencyKey: null,
    wallets,
    paymentHash,
    hashIsGiven: true,
    invoice,
    amountMsats: agreeOnAmount(decoding.invoice, request.amountMsats),
    payee,
    description: description ?? null,
    descriptionHash: descriptionHash ?? null,
    expiresAtSeconds,
    keysendPreimage: null,
    metadata: null,
    maxDebit,
  })
}

/** @throws VaspError 400 when the invoice and the request name different amounts, no amount, or one above the limit. */
export function agreeOnAmount(
  invoice: { readonly amountMsats?: bigint | undefined },
  requested: bigint | undefined,
): bigint {
  if (invoice.amountMsats !== undefined && requested !== undefined && requested !== invoice.amountMsats) {
    throw badInput('amount differs from the amount of the invoice.')
  }
  const amount = invoice.amountMsats ?? requested
  if (amount === undefined) throw badInput('This invoice has no amount: amount is required.')
  refuseOverLimit(amount)
  return amount
}
