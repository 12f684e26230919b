import type { Statement } from '../db/database'
import type { Deps } from '../deps'
import type { DecodedInvoice } from '../lightning/bolt11'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { readAgreement, type Agreement } from './receive'

/** What a payment took, as it is stored: enough to answer for any budget currency. */
export interface Paid {
  readonly preimage: string
  readonly debit: bigint
  readonly walletCode: CurrencyCode
  readonly rateSnapshotId: string
}

export interface OwnPayment extends Paid {
  readonly amountMsats: bigint
}

/** Who an invoice of this VASP credits. */
export interface Payee {
  readonly accountId: bigint
  readonly code: CurrencyCode
  /** What the wallet was promised; without it, what the amount is worth at this moment. */
  readonly agreed: Agreement | undefined
}

/** What is known of an invoice before it is paid. */
export interface Bill {
  /** Undefined when it is no invoice of this VASP. */
  readonly payee: Payee | undefined
  /** Somebody has paid it. */
  readonly settled: boolean
  /** By the database's clock. */
  readonly expired: boolean
  /** This user's own finished payment of the hash. */
  readonly own: OwnPayment | undefined
}

const READ_BILL: Statement = {
  name: 'read_bill',
  text: `select a.id as account_id, w.currency_code, i.agreed_credit, i.rate_snapshot_id as agreed_snapshot_id, i.settled_at is not null as settled,
                i.expires_at <= now() as expired, p.preimage, p.amount_msats, p.debit, p.rate_snapshot_id,
                pw.currency_code as paid_code
         from invoices i
         join wallets w on w.id = i.wallet_id
         join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
         left join payments p on p.payment_hash = i.payment_hash and p.user_id = $3 and p.state = 'succeeded'
         left join wallets pw on pw.id = p.wallet_id
         where i.payment_hash = $1 and i.invoice = $2`,
}

interface BillRow {
  readonly account_id: bigint
  readonly currency_code: string
  readonly agreed_credit: bigint | null
  readonly agreed_snapshot_id: string | null
  readonly settled: boolean
  readonly expired: boolean
  readonly preimage: string | null
  readonly amount_msats: bigint | null
  readonly debit: bigint | null
  readonly rate_snapshot_id: string | null
  readonly paid_code: string | null
}

/**
 * Reads in one round trip whose the invoice is and whether this user has paid it. The whole invoice is compared, not its
 * hash: another invoice with our hash is not ours.
 */
export async function readBill(
  { db, rates }: Pick<Deps, 'db' | 'rates'>,
  invoice: DecodedInvoice,
  username: string,
): Promise<Bill> {
  const [row] = await db.query<BillRow>(READ_BILL, [invoice.paymentHash, invoice.invoice, username])
  if (row === undefined || !isCurrencyCode(row.currency_code))
    return { payee: undefined, settled: false, expired: false, own: undefined }
  const { settled, expired } = row
  const { agreed_credit, agreed_snapshot_id: rate_snapshot_id } = row
  const agreed = await readAgreement(rates, { agreed_credit, rate_snapshot_id })
  const payee = { accountId: row.account_id, code: row.currency_code, agreed }
  const { preimage, amount_msats: amountMsats, debit, rate_snapshot_id: rateSnapshotId, paid_code: walletCode } = row
  if (
    preimage === null ||
    amountMsats === null ||
    debit === null ||
    rateSnapshotId === null ||
    walletCode === null ||
    !isCurrencyCode(walletCode)
  ) {
    return { payee, settled, expired, own: undefined }
  }
  return { payee, settled, expired, own: { preimage, amountMsats, debit, rateSnapshotId, walletCode } }
}
