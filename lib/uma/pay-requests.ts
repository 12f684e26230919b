import type { FixedRateInvoice } from '../invoices/fixed-rate'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { umaFault } from './fault'
import type { Protocol } from './types'

/** The pay request behind an invoice. */
export interface PayRequestRecord {
  readonly protocol: Protocol
  readonly payerAddress?: string | undefined
  readonly payerData?: Readonly<Record<string, unknown>> | undefined
  readonly comment?: string | undefined
  readonly umaInvoiceId?: bigint | undefined
  readonly callbackId?: string | undefined
  readonly remoteCallback?: string | undefined
  /** Set for an unsigned request only. */
  readonly payerNetwork?: string | undefined
}

export interface RequestedInvoice {
  readonly username: string
  readonly walletId: bigint
  readonly made: FixedRateInvoice
  readonly description?: string | undefined
  readonly descriptionHash?: string | undefined
  readonly request: PayRequestRecord
}

const ASK = statement<{ outcome: 'created' | 'expired' | 'full' }>(
  'create_requested_invoice',
  `select create_requested_invoice($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9::bigint), to_timestamp($10::bigint), $11, $12,
                                $13, $14, $15::jsonb, $16, $17, $18, $19, $20, $21) as outcome`,
)

/**
 * Saves an invoice and its pay request in one statement. For a UMA invoice, it also reserves one of the remaining
 * payments.
 * @throws UmaFault for a UMA invoice that has ended, or whose payments are all made or reserved.
 */
export async function saveRequestedInvoice(db: Database, asked: RequestedInvoice): Promise<void> {
  const { made, request } = asked
  const [row] = await db.query(ASK, [
    made.paymentHash,
    made.preimageHex,
    made.invoice,
    asked.username,
    asked.walletId,
    made.amountMsats,
    asked.description ?? null,
    asked.descriptionHash ?? null,
    made.createdAtSeconds,
    made.expiresAtSeconds,
    made.fixedCredit.credit,
    made.fixedCredit.rateSnapshotId,
    request.protocol,
    request.payerAddress ?? null,
    request.payerData === undefined ? null : JSON.stringify(request.payerData),
    request.comment ?? null,
    request.umaInvoiceId ?? null,
    request.callbackId ?? null,
    request.remoteCallback ?? null,
    request.payerNetwork ?? null,
    made.fixedCredit.feeMsats,
  ])
  if (row?.outcome === 'full') throw fullyPaid()
  if (row?.outcome === 'expired') throw ended()
  if (row?.outcome !== 'created') throw new Error('an invoice was not written')
}

export function fullyPaid(): Error {
  return umaFault('INVALID_INVOICE', 'The UMA invoice has reached its maximum number of payments.')
}

export function ended(): Error {
  return umaFault('INVOICE_EXPIRED', 'The UMA invoice has expired.')
}
