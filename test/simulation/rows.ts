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
  /** Null for a house account: its balance is the sum of its postings. */
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
  /** Null for a payment settled inside the VASP. */
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

/** All rows about money at one moment. */
export interface Books {
  readonly wallets: readonly WalletRow[]
  readonly accounts: readonly AccountRow[]
  readonly entries: readonly EntryRow[]
  readonly postings: readonly PostingRow[]
  readonly payments: readonly PaymentRow[]
  readonly invoices: readonly InvoiceRow[]
  readonly receipts: readonly ReceiptRow[]
}
