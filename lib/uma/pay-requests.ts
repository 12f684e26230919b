import type { Database, Statement } from '../db/database'
import type { Protocol } from './counterparty'

/** Who asked for an invoice, and with what. */
export interface PayRequestRecord {
  readonly invoiceId: bigint
  readonly protocol: Protocol
  readonly receiverAddress: string
  readonly payerAddress?: string | undefined
  readonly payerData?: Readonly<Record<string, unknown>> | undefined
  /** Already encrypted. */
  readonly travelRule?: Uint8Array | undefined
  readonly comment?: string | undefined
  readonly umaInvoiceId?: bigint | undefined
  readonly callbackId?: string | undefined
  readonly peerCallback?: string | undefined
}

const INSERT: Statement = {
  name: 'insert_uma_pay_request',
  text: `insert into uma_pay_requests (invoice_id, protocol, receiver_address, payer_address, payer_data, travel_rule, comment, uma_invoice_id, callback_id, peer_callback)
         values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10)`,
}

/** Keeps who asked for an invoice. */
export async function recordPayRequest(db: Database, record: PayRequestRecord): Promise<void> {
  await db.query(INSERT, [
    record.invoiceId,
    record.protocol,
    record.receiverAddress,
    record.payerAddress ?? null,
    record.payerData === undefined ? null : JSON.stringify(record.payerData),
    record.travelRule ?? null,
    record.comment ?? null,
    record.umaInvoiceId ?? null,
    record.callbackId ?? null,
    record.peerCallback ?? null,
  ])
}
