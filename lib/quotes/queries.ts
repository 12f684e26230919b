import type { WalletAccount } from '../ledger/accounts'
import { isCurrencyCode } from '../money/currencies'
import { FOREIGN } from '../payments/invoice-status'
import type { PaymentCard } from '../payments/queries'
import type { InvoiceStatus, QuotedTerms } from '../payments/types'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { QUOTE_COLUMNS, type Quote } from './types'

/** A quote with everything that its payment needs, in ledger units. */
export interface QuoteToPay {
  readonly quote: Quote
  readonly invoice: string
  readonly wallet: WalletAccount
  readonly terms: QuotedTerms
  readonly expiresAtSeconds: number
  /** Whether a payment of the quote is pending or has succeeded. */
  readonly isBegun: boolean
  readonly invoiceStatus: InvoiceStatus
}

/** The columns of `ToPayRow`, of a quote `q` and `TO_PAY_JOINS`. */
export const TO_PAY_COLUMNS = `${QUOTE_COLUMNS}, q.id, q.invoice, q.debit, q.vasp_fee, q.fee_limit_msats, q.rate_snapshot_id,
                extract(epoch from q.expires_at)::bigint as ends_at,
                exists (select from payments p where p.payment_hash = q.payment_hash and p.state <> 'failed') as is_begun,
                q.wallet_id, a.id as account_id, a.balance as available, h.balance as held,
                pa.id as payee_account_id, i.user_id as payee_user_id, pw.currency_code as payee_code, i.fixed_credit, i.rate_snapshot_id as fixed_snapshot_id, i.vasp_fee_msats`
export const TO_PAY_JOINS = `join wallets w on w.id = q.wallet_id
         join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
         join ledger_accounts h on h.wallet_id = w.id and h.kind = 'held'
         left join invoices i on q.protocol = 'own' and i.payment_hash = q.payment_hash and i.invoice = q.invoice
         left join wallets pw on pw.id = i.wallet_id
         left join ledger_accounts pa on pa.wallet_id = pw.id and pa.kind = 'available'`

const TO_PAY = statement<ToPayRow>(
  'quote_to_pay',
  `select ${TO_PAY_COLUMNS} from quotes q ${TO_PAY_JOINS} where q.payment_hash = $1 and q.user_id = $2`,
)

export interface ToPayRow extends Quote {
  readonly id: bigint
  readonly invoice: string
  readonly debit: bigint
  readonly vasp_fee: bigint
  readonly fee_limit_msats: bigint
  readonly rate_snapshot_id: string
  readonly ends_at: bigint
  readonly is_begun: boolean
  readonly wallet_id: bigint
  readonly account_id: bigint
  readonly available: bigint
  readonly held: bigint
  readonly payee_account_id: bigint | null
  readonly payee_user_id: string | null
  readonly payee_code: string | null
  readonly fixed_credit: bigint | null
  readonly fixed_snapshot_id: string | null
  readonly vasp_fee_msats: bigint | null
}

/** The user's quote with this hash, in one round trip; undefined for an unknown hash and for another user's quote. */
export async function readQuoteToPay(
  db: Database,
  username: string,
  paymentHash: string,
): Promise<QuoteToPay | undefined> {
  const [row] = await db.query(TO_PAY, [paymentHash, username])
  return row && quoteToPayOf(row)
}

export function quoteToPayOf(row: ToPayRow): QuoteToPay {
  const { wallet_id: walletId, account_id: accountId, available, held } = row
  return {
    quote: row,
    invoice: row.invoice,
    wallet: { walletId, code: row.sendingCode, accountId, available, held },
    terms: {
      quoteId: row.id,
      debit: row.debit,
      vaspFee: row.vasp_fee,
      feeLimitMsats: row.fee_limit_msats,
      rateSnapshotId: row.rate_snapshot_id,
    },
    expiresAtSeconds: Number(row.ends_at),
    isBegun: row.is_begun,
    invoiceStatus: statusOf(row),
  }
}

/**
 * For a receiver of this VASP. Whether the invoice has expired or is settled is not read: it expires with the quote, and the
 * settlement refuses an invoice that another payment has settled.
 */
function statusOf(row: ToPayRow): InvoiceStatus {
  const {
    payee_account_id: accountId,
    payee_user_id: username,
    payee_code: code,
    fixed_credit: credit,
    vasp_fee_msats: feeMsats,
  } = row
  const { fixed_snapshot_id: rateSnapshotId } = row
  if (accountId === null || username === null || code === null || !isCurrencyCode(code)) return FOREIGN
  if (credit === null || rateSnapshotId === null || feeMsats === null) return FOREIGN
  const payee = { username, accountId, code, fixedCredit: { credit, rateSnapshotId, feeMsats } }
  return { ...FOREIGN, payee, amountMsats: row.amountMsats }
}

/** A quote with the state that its page shows. */
export interface QuoteCard {
  readonly quote: Quote
  /** Whether the quote has expired, by the database's clock. */
  readonly expired: boolean
  /** State of the latest payment; null without a payment. */
  readonly payment: 'held' | 'sending' | 'succeeded' | 'failed' | null
}

const FIND = statement<Quote & Pick<QuoteCard, 'expired' | 'payment'>>(
  'find_quote',
  `select ${QUOTE_COLUMNS}, q.expires_at <= now() as expired,
                (select p.state from payments p where p.payment_hash = q.payment_hash and p.user_id = q.user_id order by p.id desc limit 1) as payment
         from quotes q join wallets w on w.id = q.wallet_id where q.payment_hash = $1 and q.user_id = $2`,
)

/** The user's quote with this hash; undefined for another user's quote and for text that is not a hash. */
export async function findQuote(db: Database, username: string, paymentHash: string): Promise<QuoteCard | undefined> {
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return undefined
  const [row] = await db.query(FIND, [paymentHash, username])
  return row === undefined ? undefined : { quote: row, expired: row.expired, payment: row.payment }
}

const OF_PAYMENT = statement<Quote>(
  'quote_of_payment',
  `select ${QUOTE_COLUMNS} from quotes q join wallets w on w.id = q.wallet_id
         where q.id = $1`,
)

/** The quote of a payment; undefined for a payment without a quote. */
export async function quoteOfPayment(
  db: Database,
  { quoteId }: Pick<PaymentCard, 'quoteId'>,
): Promise<Quote | undefined> {
  if (quoteId === null) return undefined
  return (await db.query(OF_PAYMENT, [quoteId]))[0]
}

const MAX_RECENT = 8
/** How many of the user's latest payments are searched. */
const MAX_SEARCHED = 300
const RECENT = statement<{ address: string; at: Date }>(
  'recent_receivers',
  `select q.receiver_address as address, max(paid.settled_at) as at
         from (select payment_hash, settled_at from payments where user_id between $1 and $1 and state <> 'failed'
               order by user_id, created_at desc, id desc limit ${MAX_SEARCHED}) paid
         cross join lateral (
           select receiver_address from quotes where payment_hash = paid.payment_hash and user_id = $1 offset 0) q
         where paid.settled_at is not null
         group by 1 order by 2 desc limit ${MAX_RECENT}`,
)

/** The addresses that the user paid recently, the latest first. */
export async function recentReceivers(
  db: Database,
  username: string,
): Promise<{ readonly address: string; readonly at: Date }[]> {
  return db.query(RECENT, [username])
}
