import { isCurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { badInput } from '../platform/errors'
import type { KeysendMetadata, Paid, PaymentIntent, PendingPayment } from './types'

/** The fields that make two requests the same payment. */
export type PaymentIdentity = Pick<
  PaymentIntent,
  | 'username'
  | 'connectionId'
  | 'idempotencyKey'
  | 'paymentHash'
  | 'hashIsGiven'
  | 'invoice'
  | 'amountMsats'
  | 'metadata'
>

const FIND = statement<Row>(
  'find_existing_payment',
  `select p.id, p.payment_hash, p.user_id, p.invoice, p.amount_msats, p.metadata, p.state, p.preimage,
                p.debit, p.rate_snapshot_id, w.currency_code
         from payments p join wallets w on w.id = p.wallet_id
         where p.payment_hash = $1 and p.state <> 'failed'
            or p.user_id = $2 and p.idempotency_key = $3 and p.connection_id is not distinct from $4 and p.state <> 'failed'
         order by p.id limit 1`,
)

interface Row {
  readonly id: bigint
  readonly payment_hash: string
  readonly user_id: string
  readonly invoice: string | null
  readonly amount_msats: bigint
  readonly metadata: KeysendMetadata | null
  readonly state: 'held' | 'sending' | 'succeeded'
  readonly preimage: string | null
  readonly debit: bigint
  readonly rate_snapshot_id: string
  readonly currency_code: string
}

/**
 * The payment that an earlier copy of this request started. Undefined when there is none, or when it failed: a failed payment may be
 * tried again.
 * @throws VaspError 400 OTHER when the hash or the key belongs to a different payment: by another user, of a
 * different amount, for another invoice with the same hash, or with a different recipient or other records.
 */
export async function findExistingPayment(
  db: Database,
  intent: PaymentIdentity,
): Promise<Paid | PendingPayment | undefined> {
  const { paymentHash, username, idempotencyKey, connectionId } = intent
  const [row] = await db.query(FIND, [paymentHash, username, idempotencyKey, connectionId])
  if (row === undefined) return undefined
  refuseOther(row, intent)
  const { id, preimage, debit, rate_snapshot_id: rateSnapshotId, currency_code: walletCode } = row
  if (preimage === null) return { paymentId: id }
  if (!isCurrencyCode(walletCode)) throw new Error(`payment ${id} is in an unknown currency`)
  return { preimage, debit, walletCode, rateSnapshotId }
}

function refuseOther(row: Row, intent: PaymentIdentity): void {
  if (row.user_id !== intent.username) {
    throw badInput(
      row.state === 'succeeded'
        ? 'Another user has paid this invoice already.'
        : 'Another user is paying this invoice right now.',
    )
  }
  if (row.payment_hash !== intent.paymentHash && intent.hashIsGiven)
    throw badInput('This Idempotency-Key was used for another payment.')
  if (row.invoice !== intent.invoice)
    throw badInput('You have paid, or are paying, another invoice with this payment hash.')
  if (row.amount_msats !== intent.amountMsats) throw badInput('You have already paid this with a different amount.')
  if (JSON.stringify(inOrder(row.metadata)) !== JSON.stringify(inOrder(intent.metadata)))
    throw badInput('You have already sent this payment, to a different recipient or with different records.')
}

/** Compares content only: the database reorders the fields of JSON. */
function inOrder(metadata: KeysendMetadata | null): unknown {
  return metadata && [metadata.destination, metadata.tlv_records.map(({ type, value }) => [type, value])]
}
