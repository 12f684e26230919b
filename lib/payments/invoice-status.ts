import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { isCurrencyCode } from '../money/currencies'
import type { InvoiceStatus, OwnPayment } from './types'

/** The status of an invoice of another VASP. */
export const FOREIGN: InvoiceStatus = {
  payee: undefined,
  amountMsats: undefined,
  settled: false,
  expired: false,
  own: undefined,
}

const READ = statement<Row>(
  'read_invoice_status',
  `select a.id as account_id, w.currency_code, i.amount_msats as asked_msats, i.fixed_credit,
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
  readonly account_id: bigint
  readonly currency_code: string
  readonly asked_msats: bigint | null
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
 * Reads in one round trip whose invoice it is and whether this user has paid it. The whole text is compared: another invoice with
 * our hash is not ours.
 */
export async function readInvoiceStatus(db: Database, invoice: NamedInvoice, username: string): Promise<InvoiceStatus> {
  const [row] = await db.query(READ, [invoice.paymentHash, invoice.invoice, username])
  if (row === undefined || !isCurrencyCode(row.currency_code)) return FOREIGN
  const { fixed_credit: credit, fixed_snapshot_id: rateSnapshotId, vasp_fee_msats: feeMsats } = row
  const agreed = credit === null || rateSnapshotId === null ? undefined : { credit, rateSnapshotId, feeMsats }
  return {
    payee: { accountId: row.account_id, code: row.currency_code, agreed },
    amountMsats: row.asked_msats ?? undefined,
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

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
/** Letters of five bits: the time an invoice was made, and what ends it, its signature (104) and its checksum (6). */
const TIME_LETTERS = 7
const END_LETTERS = 110
/** The field that names the payment hash, and how long it is (BOLT 11, Tagged Fields). */
const HASH_FIELD = 1
const HASH_LETTERS = 52
const LONGEST = 2_000

/** An invoice's text with the payment hash that it names. */
export interface NamedInvoice {
  readonly invoice: string
  readonly paymentHash: string
}

/**
 * Finds the payment hash in an invoice without looking whether the invoice is good: enough to ask whether it is one that we
 * made ourselves, letter for letter, and then everything is known of it. Decoding checks the signature, which takes longer
 * than the question. Undefined for any other spelling than the one we make, and for what is not an invoice.
 */
export function nameInvoice(text: string, prefix: string): NamedInvoice | undefined {
  if (text.length > LONGEST || !text.startsWith(prefix) || !/^[0-9a-z]+$/.test(text)) return undefined
  const end = text.length - END_LETTERS
  let at = text.lastIndexOf('1') + 1 + TIME_LETTERS
  while (at + 3 <= end) {
    const [field, high, low] = [valueAt(text, at), valueAt(text, at + 1), valueAt(text, at + 2)]
    // Counted as −1, such a letter would lead back, and round and round.
    if (field < 0 || high < 0 || low < 0) return undefined
    const length = high * 32 + low
    at += 3
    if (field === HASH_FIELD && length === HASH_LETTERS && at + length <= end) {
      const paymentHash = hexOf(text.slice(at, at + HASH_LETTERS))
      return paymentHash === undefined ? undefined : { invoice: text, paymentHash }
    }
    at += length
  }
  return undefined
}

function valueAt(text: string, at: number): number {
  return LETTERS.indexOf(text[at] ?? '')
}

/** 52 letters are 260 bits: the hash's 256 and four of nothing. */
function hexOf(letters: string): string | undefined {
  let bits = 0n
  for (const letter of letters) {
    const value = LETTERS.indexOf(letter)
    if (value < 0) return undefined
    bits = (bits << 5n) | BigInt(value)
  }
  return (bits >> 4n).toString(16).padStart(64, '0')
}
