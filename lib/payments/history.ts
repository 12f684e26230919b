import { FARTHEST_OFFSET, MAX_PAGE_SIZE } from 'uma-auth-vasp'
import type { StoredRates } from '../ledger/rate-snapshot'
import { isCurrencyCode } from '../money/currencies'
import { worthInMsats } from '../money/ledger-units'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** An invoice or a payment of one user, as the payment history shows it. */
export interface Transaction {
  readonly type: 'incoming' | 'outgoing'
  readonly paymentHash: string
  readonly amountMsats: bigint
  /**
   * The cost in addition to the amount. For the payment of a quote, this is the VASP's fee at the quote's rates, rounded up,
   * whatever the network fee was. The receiver's fee is part of the amount.
   */
  readonly feeMsats: bigint
  readonly invoice: string | null
  readonly description: string | null
  readonly descriptionHash: string | null
  /** Null until settled. */
  readonly preimage: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly settledAt: Date | null
  /** The destination and records of a keysend payment; the payer and comment of a payment that another UMA user sent. */
  readonly metadata: Readonly<Record<string, unknown>> | null
}

type Row = Transaction & { readonly quoted: QuotedFee | null }

/** The VASP's fee for a quote, in ledger units of a currency, with the snapshot of the quote's rates. */
type QuotedFee = readonly [ledgerUnits: string, code: string, rateSnapshotId: string]

/** The VASP's fee for the payment of a quote. */
const QUOTED = `(select json_build_array(q.vasp_fee::text, w.currency_code, q.rate_snapshot_id)
   from quotes q join wallets w on w.id = q.wallet_id where q.id = payments.quote_id)`

const INCOMING = `select 'incoming' as type, id, payment_hash, coalesce(received_msats, amount_msats) as amount_msats, 0::bigint as fee_msats,
         invoice, description, description_hash, case when settled_at is null then null else preimage end as preimage,
         created_at, expires_at, settled_at, metadata, null::json as quoted
  from invoices`
const OUTGOING = `select 'outgoing' as type, id, payment_hash, amount_msats, network_fee_msats as fee_msats,
         invoice, description, description_hash, preimage, created_at, expires_at, settled_at, metadata,
         ${QUOTED} as quoted
  from payments`

/**
 * Adds the payer to the chosen rows, in the form of NIP-47 (`payer_data`, `comment`). Only for the rows of one page, because
 * the parts of a page read more rows than it shows.
 */
const withPayers = (
  page: string,
): string => `select page.type, page.payment_hash as "paymentHash", page.amount_msats as "amountMsats", page.fee_msats as "feeMsats",
         page.invoice, page.description, page.description_hash as "descriptionHash", page.preimage, page.created_at as "createdAt",
         page.expires_at as "expiresAt", page.settled_at as "settledAt", page.quoted,
         coalesce(page.metadata, (
           select jsonb_strip_nulls(jsonb_build_object('comment', comment, 'payer_data', jsonb_build_object(
             'identifier', payer_address, 'name', payer_data ->> 'name', 'email', payer_data ->> 'email')))
           from uma_pay_requests where invoice_id = page.id and page.type = 'incoming' and payer_address is not null
         )) as metadata
  from (${page}) page`

interface Ports {
  readonly db: Database
  readonly rates: StoredRates
}

const BY_HASH = statement<Row>(
  'transaction_by_hash',
  withPayers(`select * from (
           ${INCOMING} where payment_hash = $2 and user_id = $1 and coalesce(received_msats, amount_msats) is not null
           union all
           ${OUTGOING} where payment_hash = $2 and user_id = $1
         ) found order by type, id desc limit 1`),
)

/** The user's own invoice or payment with this hash, the invoice first; undefined for another user's hash. */
export async function transactionByHash(
  { db, rates }: Ports,
  username: string,
  paymentHash: string,
): Promise<Transaction | undefined> {
  const [row] = await db.query(BY_HASH, [username, paymentHash])
  return row === undefined ? undefined : toTransaction(rates, row)
}

const IN_TIME = `user_id = $1 and created_at >= to_timestamp($2::bigint) and created_at < to_timestamp($3::bigint + 1)`
/** The most rows that any page needs. The parts are merged in order, so no more rows are read than the requested page needs. */
const PAGE = `order by created_at desc, id desc limit ${MAX_PAGE_SIZE + FARTHEST_OFFSET}`

/**
 * Each part reads no more rows than the page needs, in the order of its own index. Limit and offset are subqueries, so that
 * the plan does not depend on them: otherwise, with a long history, the planner would plan each page again, which takes
 * longer than reading the page. An invoice that a payer requested through the user's address is not listed until it is paid;
 * its fixed credit identifies it.
 */
const LIST = statement<Row>(
  'list_transactions',
  `${withPayers(`select * from (
           (${INCOMING} where ${IN_TIME} and $4 <> 'outgoing' and settled_at is not null ${PAGE})
           union all
           (${INCOMING} where ${IN_TIME} and $4 <> 'outgoing' and $7
              and settled_at is null and fixed_credit is null and amount_msats is not null and expires_at > now() ${PAGE})
           union all
           (${OUTGOING} where ${IN_TIME} and $4 <> 'incoming' and state <> 'failed' and ($7 or state = 'succeeded') ${PAGE})
         ) found order by created_at desc, id desc, type limit (select $5::bigint) offset (select $6::bigint)`)}
   order by page.created_at desc, page.id desc, page.type`,
)

const END_OF_TIME_SECONDS = 253_402_300_799

/**
 * The user's invoices and payments, newest first, without failed payments and invoices that expired unpaid. Open invoices and
 * pending payments are included only with `unpaid`.
 */
export async function listTransactions(
  { db, rates }: Ports,
  username: string,
  filter: {
    readonly fromSeconds?: number | undefined
    readonly untilSeconds?: number | undefined
    readonly limit: number
    readonly offset: number
    readonly unpaid: boolean
    readonly type?: 'incoming' | 'outgoing' | undefined
  },
): Promise<Transaction[]> {
  const { fromSeconds = 0, untilSeconds = END_OF_TIME_SECONDS, limit, offset, unpaid, type } = filter
  const rows = await db.query(LIST, [username, fromSeconds, untilSeconds, type ?? 'both', limit, offset, unpaid])
  return Promise.all(rows.map((row) => toTransaction(rates, row)))
}

async function toTransaction(rates: StoredRates, row: Row): Promise<Transaction> {
  return row.quoted === null ? row : { ...row, feeMsats: await quotedFeeMsats(rates, row.quoted) }
}

async function quotedFeeMsats(rates: StoredRates, [ledgerUnits, code, rateSnapshotId]: QuotedFee): Promise<bigint> {
  if (!isCurrencyCode(code)) throw new Error(`a quote is in an unknown currency: ${code}`)
  return worthInMsats(BigInt(ledgerUnits), code, 'up', await rates.ofSnapshot(rateSnapshotId))
}
