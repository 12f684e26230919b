import type { Database, Statement } from '../db/database'

/** An invoice or a payment of one user, as history shows it. */
export interface Transaction {
  readonly type: 'incoming' | 'outgoing'
  readonly paymentHash: string
  readonly amountMsats: bigint
  readonly feeMsats: bigint
  readonly invoice: string | null
  readonly description: string | null
  readonly descriptionHash: string | null
  /** Null until settled. */
  readonly preimage: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly settledAt: Date | null
  /** Of a keysend: destination and records. */
  readonly metadata: Readonly<Record<string, unknown>> | null
}

interface Row {
  readonly type: 'incoming' | 'outgoing'
  readonly payment_hash: string
  readonly amount_msats: bigint
  readonly fee_msats: bigint
  readonly invoice: string | null
  readonly description: string | null
  readonly description_hash: string | null
  readonly preimage: string | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly settled_at: Date | null
  readonly metadata: Readonly<Record<string, unknown>> | null
}

const INCOMING = `select 'incoming' as type, id, payment_hash, coalesce(received_msats, amount_msats) as amount_msats, 0::bigint as fee_msats,
         invoice, description, description_hash, case when settled_at is null then null else preimage end as preimage,
         created_at, expires_at, settled_at, metadata
  from invoices`
const OUTGOING = `select 'outgoing' as type, id, payment_hash, amount_msats, fee_msats,
         invoice, description, description_hash, preimage, created_at, expires_at, settled_at, metadata
  from payments`

const BY_HASH: Statement = {
  name: 'transaction_by_hash',
  text: `select * from (
           ${INCOMING} where payment_hash = $2 and user_id = $1 and coalesce(received_msats, amount_msats) is not null
           union all
           ${OUTGOING} where payment_hash = $2 and user_id = $1
         ) found order by type, id desc limit 1`,
}

/** The user's own invoice or payment of a hash, the incoming one first; undefined for a stranger's. */
export async function transactionByHash(
  db: Database,
  username: string,
  paymentHash: string,
): Promise<Transaction | undefined> {
  const [row] = await db.query<Row>(BY_HASH, [username, paymentHash])
  return row === undefined ? undefined : toTransaction(row)
}

const IN_TIME = `user_id = $1 and created_at >= to_timestamp($2::bigint) and created_at < to_timestamp($3::bigint + 1)`
const PAGE = `order by created_at desc, id desc limit $5::bigint + $6::bigint`

/**
 * Each part reads no more rows than the page needs, in the order of an index of its own. What others asked for, by the
 * user's address, is not listed before it is paid: it carries an agreement, which nothing else does.
 */
const LIST: Statement = {
  name: 'list_transactions',
  text: `select * from (
           (${INCOMING} where ${IN_TIME} and $4 <> 'outgoing' and settled_at is not null ${PAGE})
           union all
           (${INCOMING} where ${IN_TIME} and $4 <> 'outgoing' and $7
              and settled_at is null and agreed_credit is null and amount_msats is not null and expires_at > now() ${PAGE})
           union all
           (${OUTGOING} where ${IN_TIME} and $4 <> 'incoming' and state <> 'failed' and ($7 or state = 'succeeded') ${PAGE})
         ) page order by created_at desc, id desc, type limit $5::bigint offset $6::bigint`,
}

const END_OF_TIME_SECONDS = 253_402_300_799

/** The user's history, newest first. Failed payments and everything that is no payment are left out. */
export async function listTransactions(
  db: Database,
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
  const rows = await db.query<Row>(LIST, [username, fromSeconds, untilSeconds, type ?? 'both', limit, offset, unpaid])
  return rows.map(toTransaction)
}

function toTransaction(row: Row): Transaction {
  return {
    type: row.type,
    paymentHash: row.payment_hash,
    amountMsats: row.amount_msats,
    feeMsats: row.fee_msats,
    invoice: row.invoice,
    description: row.description,
    descriptionHash: row.description_hash,
    preimage: row.preimage,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    settledAt: row.settled_at,
    metadata: row.metadata,
  }
}
