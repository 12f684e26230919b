import type { z } from 'zod'
import { epochSeconds } from '../clock'
import { toWireInteger } from '../money/convert'
import type { Transaction } from '../transactions/queries'
import type { TransactionReply } from './schemas'

/** A transaction in the protocol's spelling. */
export function toTransactionReply(transaction: Transaction): z.output<typeof TransactionReply> {
  return {
    type: transaction.type,
    payment_hash: transaction.paymentHash,
    amount: toWireInteger(transaction.amountMsats),
    fees_paid: toWireInteger(transaction.feeMsats),
    invoice: transaction.invoice,
    description: transaction.description,
    description_hash: transaction.descriptionHash,
    preimage: transaction.preimage,
    created_at: epochSeconds(transaction.createdAt),
    expires_at: transaction.expiresAt === null ? null : epochSeconds(transaction.expiresAt),
    settled_at: transaction.settledAt === null ? null : epochSeconds(transaction.settledAt),
    metadata: transaction.metadata,
  }
}
