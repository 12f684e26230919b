import { decodeInvoice } from '../lightning/bolt11'
import type { PaymentPorts } from '../payments/methods/method'
import { pay } from '../payments/service'
import type { Paid, PendingPayment } from '../payments/types'
import type { Settings } from '../platform/config'
import { VaspError } from '../platform/errors'
import type { RateLimits } from '../platform/http/rate-limits'
import { visibleText } from '../platform/visible-text'
import type { Address } from '../uma/address'
import { quoteAddress, type QuoteRequest } from './create'
import { claimKey, findQuoteOfKey, type PaymentKey } from './idempotency-key'
import { readQuoteToPay, type QuoteToPay } from './queries'
import type { Quote, RemoteQuotePorts } from './types'

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
 * Pays a quote at its stored terms, whatever today's rates are. After a failure the quote may be paid again until it expires by
 * the database's clock.
 * @throws VaspError as `pay` does, and 404 NOT_FOUND when the user has no such quote.
 */
export async function executeQuote(ports: PaymentPorts, execution: Execution): Promise<Executed> {
  const found = await readQuoteToPay(ports.db, execution.username, execution.paymentHash)
  if (found === undefined) throw new VaspError(404, 'NOT_FOUND', 'No quote has this hash.')
  return payQuote(ports, execution, found)
}

async function payQuote(
  ports: PaymentPorts,
  { username, connectionId }: Pick<Execution, 'username' | 'connectionId'>,
  found: QuoteToPay,
): Promise<Executed> {
  const { quote, invoice, terms } = found
  const decoding = decodeInvoice(invoice, ports.node.identity.network)
  if (!decoding.ok) throw new Error(`the invoice of quote ${quote.paymentHash} cannot be read`)
  const { payee, description, descriptionHash } = decoding.invoice
  const result = await pay(ports, {
    username,
    connectionId,
    idempotencyKey: null,
    wallets: [found.wallet],
    paymentHash: quote.paymentHash,
    hashIsGiven: true,
    invoice,
    amountMsats: quote.amountMsats,
    payee,
    description: (visibleText(quote.comment) === undefined ? description : quote.comment) ?? null,
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

interface AddressPaymentPorts extends RemoteQuotePorts, PaymentPorts {
  readonly settings: Settings
  readonly limits: Pick<RateLimits, 'runOutbound' | 'runForUser'>
}

export interface AddressPayment extends Pick<QuoteRequest, 'username' | 'payerName' | 'wallet' | 'receivingCode'> {
  readonly connectionId: string
  readonly address: Address
  /** Smallest units of the wallet's currency, fees included. */
  readonly totalSendingAmount: bigint
  /** Called before money is held; may refuse the quote by throwing. */
  readonly beforePaying: (quote: Quote) => unknown
  /** The connection's `Idempotency-Key`: a repeated key is the same payment. */
  readonly key: string | null
}

/**
 * Pays an amount of the wallet's currency to an address: creates a quote and pays it at once. The requests to the receiver's VASP have
 * their own limit, so a slow VASP does not delay the user's other payments. A repeated key pays the first quote, at most once; a
 * quote that expired unpaid is replaced.
 * @throws VaspError as `quoteAddress` and `executeQuote` do, and 400 OTHER for another payment's key.
 */
export async function payToAddress(ports: AddressPaymentPorts, payment: AddressPayment): Promise<Executed> {
  const { username, connectionId } = payment
  ports.audit.refusePaymentsAfterBreach()
  const key = keyOf(payment)
  const earlier = key === undefined ? undefined : await findQuoteOfKey(ports.db, key)
  const quoted = earlier ?? (await ports.limits.runOutbound(username, () => newQuote(ports, payment, key)))
  return ports.limits.runForUser(username, () =>
    typeof quoted === 'string'
      ? executeQuote(ports, { username, connectionId, paymentHash: quoted })
      : payQuote(ports, payment, quoted),
  )
}

/** The quote to pay: a new one, or the payment hash of the quote for which a copy of the request has claimed the key first. */
async function newQuote(
  ports: RemoteQuotePorts,
  payment: AddressPayment,
  key: PaymentKey | undefined,
): Promise<QuoteToPay | string> {
  const { username, payerName, connectionId, wallet, receivingCode, totalSendingAmount: lockedAmount } = payment
  const who = { username, payerName, connectionId }
  const request = { ...who, wallet, receivingCode, lockedSide: 'sending' as const, lockedAmount }
  const found = await quoteAddress(ports, payment.address, request)
  payment.beforePaying(found.quote)
  if (key === undefined) return found
  const claimed = await claimKey(ports.db, key, found.quote.paymentHash)
  return claimed === found.quote.paymentHash ? found : claimed
}

function keyOf({ connectionId, key, ...payment }: AddressPayment): PaymentKey | undefined {
  if (key === null) return undefined
  const { address, wallet, totalSendingAmount, receivingCode = null } = payment
  const fingerprint = JSON.stringify([address.text, wallet.code, String(totalSendingAmount), receivingCode])
  return { connectionId, key, fingerprint }
}
