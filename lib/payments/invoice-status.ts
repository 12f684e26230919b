import type { DecodedInvoice } from '../lightning/bolt11'
import { isCurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { InvoiceStatus, OwnPayment } from './types'

/** The status of an invoice that this VASP did not create. */
export const FOREIGN: InvoiceStatus = {
  payee: undefined,
  amountMsats: undefined,
  settled: false,
  expired: false,
  own: undefined,
}

const READ = statement<Row>(
  'read_invoice_status',
  `select i.user_id, a.id as account_id, w.currency_code, i.amount_msats as invoice_msats, i.fixed_credit,
                i.rate_snapshot_id as fixed_snapshot_id, i.vasp_fee_msats, i.settled_at is not null as settled,
                i.expires_at <= now() as expired, p.preimage, p.amount_msats, p.debit, p.rate_snapshot_id,
                pw.currency_code as paid_code
         from invoices i
         join wallets w on w.id = i.wallet_id
         join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
         left join payments p on p.payment_hash = i.payment_hash and p.user_id = $3 and p.state = 'succeeded'
         left join wallets pw on pw.id = p.wallet_id
         where i.payment_hash = $1 and i.invoice = $2`,
)

interface Row {
  readonly user_id: string
  readonly account_id: bigint
  readonly currency_code: string
  readonly invoice_msats: bigint | null
  readonly fixed_credit: bigint | null
  readonly fixed_snapshot_id: string | null
  readonly vasp_fee_msats: bigint
  readonly settled: boolean
  readonly expired: boolean
  readonly preimage: string | null
  readonly amount_msats: bigint | null
  readonly debit: bigint | null
  readonly rate_snapshot_id: string | null
  readonly paid_code: string | null
}

/**
 * Reads in one round trip which wallet the invoice credits and whether this user has paid it. The whole text is compared: another
 * invoice with the same hash is not this VASP's.
 */
export async function readInvoiceStatus(
  db: Database,
  invoice: Pick<DecodedInvoice, 'invoice' | 'paymentHash'>,
  username: string,
): Promise<InvoiceStatus> {
  const [row] = await db.query(READ, [invoice.paymentHash, invoice.invoice, username])
  if (row === undefined || !isCurrencyCode(row.currency_code)) return FOREIGN
  const { fixed_credit: credit, fixed_snapshot_id: rateSnapshotId, vasp_fee_msats: feeMsats } = row
  const fixedCredit = credit === null || rateSnapshotId === null ? undefined : { credit, rateSnapshotId, feeMsats }
  return {
    payee: { username: row.user_id, accountId: row.account_id, code: row.currency_code, fixedCredit },
    amountMsats: row.invoice_msats ?? undefined,
    settled: row.settled,
    expired: row.expired,
    own: ownPaymentIn(row),
  }
}

function ownPaymentIn(row: Row): OwnPayment | undefined {
  const { preimage, amount_msats: amountMsats, debit, rate_snapshot_id: rateSnapshotId, paid_code: walletCode } = row
  if (preimage === null || amountMsats === null || debit === null || rateSnapshotId === null) return undefined
  if (walletCode === null || !isCurrencyCode(walletCode)) return undefined
  return { preimage, amountMsats, debit, rateSnapshotId, walletCode }
}
