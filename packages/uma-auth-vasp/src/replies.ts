import type { Quote, Transaction } from './backend.ts'
import { QuoteFields } from './schemas.ts'

/** The largest integer that JSON readers keep exact: 2^53 - 1. */
export const MAX_WIRE_INTEGER = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Converts a bigint to a JSON integer.
 * @throws RangeError outside -(2^53-1) to 2^53-1, where JSON readers lose digits; TypeError for anything but a bigint.
 */
export function toWireInteger(value: bigint): number {
  if (typeof value !== 'bigint') throw new TypeError('an amount must be a bigint')
  if (value > MAX_WIRE_INTEGER || value < -MAX_WIRE_INTEGER) throw new RangeError('integer is too large for JSON')
  return Number(value)
}

/**
 * Throws unless the API can express a quote. Call it before `payToAddress` pays: a gateway books a payment as failed when it cannot
 * read the answer.
 * @throws Error that names the field.
 */
export function assertQuote(quote: Quote<string>): void {
  QuoteFields.parse(quoteFields(quote))
}

/** Anything else that counts as an object, such as a list, would become an object without its meaning. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function quoteFields(quote: Quote<string>) {
  const { code, symbol, name, decimals } = quote.receivingCurrency
  if (quote.fees > quote.totalSendingAmount) throw new Error('the fees of the quote are larger than its total')
  return {
    receiving_currency: { code, symbol, name, decimals },
    payment_hash: quote.paymentHash,
    created_at: quote.createdAtSeconds,
    expires_at: quote.expiresAtSeconds,
    multiplier: quote.multiplier,
    fees: toWireInteger(quote.fees),
    total_sending_amount: toWireInteger(quote.totalSendingAmount),
    total_receiving_amount: toWireInteger(quote.totalReceivingAmount),
  }
}

export function toTransactionReply(transaction: Transaction) {
  return {
    type: transaction.type,
    payment_hash: transaction.paymentHash,
    amount: toWireInteger(transaction.amountMsats),
    fees_paid: transaction.feesPaidMsats === null ? null : toWireInteger(transaction.feesPaidMsats),
    invoice: transaction.invoice,
    description: transaction.description,
    description_hash: transaction.descriptionHash,
    preimage: transaction.preimage,
    created_at: transaction.createdAtSeconds,
    expires_at: transaction.expiresAtSeconds,
    settled_at: transaction.settledAtSeconds,
    metadata: isPlain(transaction.metadata) ? { ...transaction.metadata } : transaction.metadata,
  }
}

/** A gateway takes a total of 0 for a missing one, so a total below 1 is sent as 1: the unit that is rounded up to. */
export function toPaymentReply({ preimage, totalBudgetAmount }: { preimage: string; totalBudgetAmount: bigint }) {
  const total = toWireInteger(totalBudgetAmount)
  return { preimage, total_budget_currency_amount: Math.max(1, total) }
}
