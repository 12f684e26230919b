import type { WalletAccount } from '../ledger/accounts'
import { decodeInvoice, type DecodedInvoice } from '../lightning/bolt11'
import { badInput } from '../platform/errors'
import { refuseOverLimit } from './debit'
import { peekPaymentHash, readInvoiceStatus, type InvoiceText } from './invoice-status'
import type { PaymentPorts } from './methods/method'
import { pay } from './service'
import type { InvoiceStatus, Paid, PaymentIntent, PendingPayment } from './types'

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
 * Pays a BOLT-11 invoice. An invoice of this VASP is found by its text and paid at once; any other is paid through the node.
 * @throws VaspError as `pay` does, and 400 OTHER when the invoice is invalid or the amounts do not agree.
 */
export async function payInvoice(ports: PaymentPorts, request: PayRequest): Promise<Paid | PendingPayment> {
  const invoiceText = peekPaymentHash(request.invoice, ports.node.identity.invoicePrefix)
  // A lookup takes less time than the signature check, and is enough for a payment inside this VASP.
  const status = invoiceText && (await readInvoiceStatus(ports.db, invoiceText, request.username))
  return invoiceText !== undefined && status?.payee !== undefined
    ? pay(ports, localInvoiceIntent(ports, request, invoiceText, status))
    : pay(ports, foreignInvoiceIntent(ports, request, status))
}

function localInvoiceIntent(
  { node }: PaymentPorts,
  request: PayRequest,
  { invoice, paymentHash }: InvoiceText,
  status: InvoiceStatus,
): PaymentIntent {
  return {
    ...commonTo(request, status),
    paymentHash,
    invoice,
    payee: node.identity.publicKeyHex,
    description: null,
    descriptionHash: null,
    expiresAtSeconds: null,
    invoiceStatus: status,
  }
}

function foreignInvoiceIntent(
  { node }: PaymentPorts,
  request: PayRequest,
  status: InvoiceStatus | undefined,
): PaymentIntent {
  const decoding = decodeInvoice(request.invoice, node.identity.network)
  if (!decoding.ok) throw badInput(decoding.reason)
  const { paymentHash, invoice, payee, description, descriptionHash, expiresAtSeconds } = decoding.invoice
  return {
    ...commonTo(request, decoding.invoice),
    paymentHash,
    invoice,
    payee,
    description: description ?? null,
    descriptionHash: descriptionHash ?? null,
    expiresAtSeconds,
    invoiceStatus: status,
  }
}

function commonTo(request: PayRequest, invoice: Pick<DecodedInvoice, 'amountMsats'>) {
  const { username, connectionId, wallets, maxDebit } = request
  return {
    username,
    connectionId,
    idempotencyKey: null,
    wallets,
    hashIsGiven: true,
    amountMsats: agreeOnAmount(invoice, request.amountMsats),
    keysendPreimage: null,
    metadata: null,
    maxDebit,
  }
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
