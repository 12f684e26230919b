import type { Database } from '@/lib/platform/db/database'

// The rows of the money tables, with the columns that an invariant reads, named as in SQL.

export interface WalletRow {
  readonly id: bigint
  readonly user_id: string
  readonly currency_code: string
  readonly position: number
}

export interface AccountRow {
  readonly id: bigint
  readonly kind: string
  readonly currency_code: string
  readonly wallet_id: bigint | null
  readonly node_key: string | null
  /** Null for a house account, which is summed. */
  readonly balance: bigint | null
}

export interface EntryRow {
  readonly id: bigint
  readonly kind: string
  readonly idempotency_key: string
  readonly payment_id: bigint | null
  readonly incoming_payment_id: bigint | null
}

export interface PostingRow {
  readonly id: bigint
  readonly entry_id: bigint
  readonly account_id: bigint
  readonly currency_code: string
  readonly amount: bigint
  readonly balance_after: bigint | null
}

export type PaymentState = 'held' | 'sending' | 'succeeded' | 'failed'

export interface PaymentRow {
  readonly id: bigint
  readonly payment_hash: string
  readonly invoice: string | null
  readonly user_id: string
  readonly wallet_id: bigint
  /** Null for what is settled here. */
  readonly node_key: string | null
  readonly amount_msats: bigint
  readonly network_fee_msats: bigint
  readonly fee_limit_msats: bigint
  readonly debit: bigint
  readonly state: PaymentState
  readonly preimage: string | null
  readonly failure: string | null
  readonly keysend_preimage: string | null
  readonly idempotency_key: string | null
  readonly lease_owner: string | null
}

export interface InvoiceRow {
  readonly id: bigint
  readonly payment_hash: string
  readonly preimage: string
  /** Null for a keysend that was received. */
  readonly invoice: string | null
  readonly user_id: string
  readonly wallet_id: bigint
  readonly amount_msats: bigint | null
  readonly settled: boolean
  readonly received_msats: bigint | null
  readonly credited: bigint | null
}

export interface ReceiptRow {
  readonly id: bigint
  readonly payment_hash: string
  readonly node_key: string | null
  readonly amount_msats: bigint
  readonly invoice_id: bigint | null
}

/** Everything that is known of money at one moment. */
export interface Books {
  readonly wallets: readonly WalletRow[]
  readonly accounts: readonly AccountRow[]
  readonly entries: readonly EntryRow[]
  readonly postings: readonly PostingRow[]
  readonly payments: readonly PaymentRow[]
  readonly invoices: readonly InvoiceRow[]
  readonly receipts: readonly ReceiptRow[]
}

/**
 * The accounts of some wallets and all of the house's. One index each: by one condition with `or`, every account there is was
 * looked at, and a test makes many thousands.
 */
export function accountsOf(wallets: string): string {
  const columns = 'id, kind, currency_code, wallet_id, node_key, balance'
  return `select * from (
            select ${columns} from ledger_accounts where wallet_id in (${wallets})
            union all select ${columns} from ledger_accounts where wallet_id is null and node_key is null
            union all select ${columns} from ledger_accounts where node_key is not null
          ) accounts order by id`
}

/** What a database says of some people: all their rows, every entry that touches them, and the house's side of each. */
export async function readBooks(db: Database, usernames: readonly string[]): Promise<Books> {
  const mine = `select id from wallets where user_id = any($1)`
  const entries = `select entry_id from postings where account_id in (select id from ledger_accounts where wallet_id in (${mine}))
                   union select id from journal_entries where payment_id in (select id from payments where user_id = any($1))`
  const read = <Row>(name: string, text: string): Promise<Row[]> =>
    db.query<Row>({ name: `books_${name}`, text }, [usernames])
  return {
    wallets: await read<WalletRow>(
      'wallets',
      `select id, user_id, currency_code, position from wallets where user_id = any($1) order by id`,
    ),
    accounts: await read<AccountRow>('accounts', accountsOf(mine)),
    entries: await read<EntryRow>(
      'entries',
      `select id, kind, idempotency_key, payment_id, incoming_payment_id from journal_entries where id in (${entries}) order by id`,
    ),
    postings: await read<PostingRow>(
      'postings',
      `select id, entry_id, account_id, currency_code, amount, balance_after from postings where entry_id in (${entries}) order by id`,
    ),
    payments: await read<PaymentRow>(
      'payments',
      `select id, payment_hash, invoice, user_id, wallet_id, node_key, amount_msats, network_fee_msats, fee_limit_msats, debit, state,
              preimage, failure, keysend_preimage, idempotency_key, lease_owner
       from payments where user_id = any($1) order by id`,
    ),
    invoices: await read<InvoiceRow>(
      'invoices',
      `select id, payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, settled_at is not null as settled,
              received_msats, credited
       from invoices where user_id = any($1) order by id`,
    ),
    receipts: await read<ReceiptRow>(
      'receipts',
      `select id, payment_hash, node_key, amount_msats, invoice_id from incoming_payments
       where payment_hash in (select payment_hash from invoices where user_id = any($1)) order by id`,
    ),
  }
}

/** The books of some people out of those of many, as `readBooks` would give them: one reading is enough for all. */
export function booksOf(books: Books, usernames: readonly string[]): Books {
  const people = new Set(usernames)
  const wallets = books.wallets.filter((each) => people.has(each.user_id))
  const walletIds = new Set(wallets.map(({ id }) => id))
  const accounts = books.accounts.filter((each) => each.wallet_id === null || walletIds.has(each.wallet_id))
  const theirs = new Set(accounts.filter((each) => each.wallet_id !== null).map(({ id }) => id))
  const payments = books.payments.filter((each) => people.has(each.user_id))
  const paymentIds = new Set(payments.map(({ id }) => id))
  const touched = new Set(books.postings.filter((each) => theirs.has(each.account_id)).map((each) => each.entry_id))
  const entries = books.entries.filter(
    ({ id, payment_id }) => touched.has(id) || (payment_id !== null && paymentIds.has(payment_id)),
  )
  const entryIds = new Set(entries.map(({ id }) => id))
  const invoices = books.invoices.filter((each) => people.has(each.user_id))
  const hashes = new Set(invoices.map((each) => each.payment_hash))
  return {
    wallets,
    accounts,
    entries,
    postings: books.postings.filter((each) => entryIds.has(each.entry_id)),
    payments,
    invoices,
    receipts: books.receipts.filter((each) => hashes.has(each.payment_hash)),
  }
}
