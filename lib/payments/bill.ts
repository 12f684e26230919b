import type { Database, Statement } from '../db/database'
import type { AgreedCredit } from '../invoices/agreed'
import type { NamedInvoice } from './named-invoice'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'

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
  readonly agreed: AgreedCredit | undefined
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

/** Where a bill is read from; the three are the places of the parameters. The whole invoice is compared, not its hash. */
function billOf(hash: string, invoice: string, username: string): string {
  return `from invoices i
         join wallets w on w.id = i.wallet_id
         join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
         left join payments p on p.payment_hash = i.payment_hash and p.user_id = ${username} and p.state = 'succeeded'
         left join wallets pw on pw.id = p.wallet_id
         where i.payment_hash = ${hash} and i.invoice = ${invoice}`
}

const READ_BILL: Statement = {
  name: 'read_bill',
  text: `select a.id as account_id, w.currency_code, i.fixed_credit, i.rate_snapshot_id as fixed_snapshot_id, i.vasp_fee_msats,
                i.settled_at is not null as settled,
                i.expires_at <= now() as expired, p.preimage, p.amount_msats, p.debit, p.rate_snapshot_id,
                pw.currency_code as paid_code
         ${billOf('$1', '$2', '$3')}`,
}

interface BillRow {
  readonly account_id: bigint
  readonly currency_code: string
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
 * Reads in one round trip whose the invoice is and whether this user has paid it. The whole invoice is compared, not its
 * hash: another invoice with our hash is not ours.
 */
export async function readBill(db: Database, invoice: NamedInvoice, username: string): Promise<Bill> {
  const [row] = await db.query<BillRow>(READ_BILL, [invoice.paymentHash, invoice.invoice, username])
  return toBill(row)
}

/** An invoice of this VASP, found by its text: what it asks for, and its bill of that moment. */
export interface OwnInvoice extends NamedInvoice {
  /** Undefined: the payer chooses. */
  readonly amountMsats: bigint | undefined
  readonly bill: Bill
}

/**
 * The same as one JSON value, for a statement that reads other things too; null when it is no invoice of this VASP. Integers
 * as text, since JSON readers bend large ones.
 */
export function billAsJson(hash: string, invoice: string, username: string): string {
  return `(select json_build_object(
                   'account_id', a.id::text, 'currency_code', w.currency_code,
                   'fixed_credit', i.fixed_credit::text, 'fixed_snapshot_id', i.rate_snapshot_id,
                   'vasp_fee_msats', i.vasp_fee_msats::text, 'settled', i.settled_at is not null,
                   'expired', i.expires_at <= now(), 'preimage', p.preimage, 'amount_msats', p.amount_msats::text,
                   'debit', p.debit::text, 'rate_snapshot_id', p.rate_snapshot_id, 'paid_code', pw.currency_code,
                   'asked_msats', i.amount_msats::text)
         ${billOf(hash, invoice, username)})`
}

/** What `billAsJson` gives: integers as text. */
export type BillJson = {
  readonly [Name in keyof BillRow]: BillRow[Name] extends bigint
    ? string
    : BillRow[Name] extends bigint | null
      ? string | null
      : BillRow[Name]
} & { readonly asked_msats: string | null }

export function toOwnInvoice({ invoice, paymentHash }: NamedInvoice, json: BillJson): OwnInvoice {
  const row = {
    ...json,
    account_id: BigInt(json.account_id),
    fixed_credit: json.fixed_credit === null ? null : BigInt(json.fixed_credit),
    vasp_fee_msats: BigInt(json.vasp_fee_msats),
    amount_msats: json.amount_msats === null ? null : BigInt(json.amount_msats),
    debit: json.debit === null ? null : BigInt(json.debit),
  }
  const amountMsats = json.asked_msats === null ? undefined : BigInt(json.asked_msats)
  return { invoice, paymentHash, amountMsats, bill: toBill(row) }
}

function toBill(row: BillRow | undefined): Bill {
  if (row === undefined || !isCurrencyCode(row.currency_code))
    return { payee: undefined, settled: false, expired: false, own: undefined }
  const { settled, expired } = row
  const { fixed_credit: credit, fixed_snapshot_id: promisedAt, vasp_fee_msats: feeMsats } = row
  const agreed = credit === null || promisedAt === null ? undefined : { credit, rateSnapshotId: promisedAt, feeMsats }
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
