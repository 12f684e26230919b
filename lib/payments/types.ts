import type { WalletAccount } from '../ledger/accounts'
import type { FixedCredit } from '../ledger/fixed-credit'
import type { TlvRecord } from '../lightning/node'
import type { CurrencyCode } from '../money/currencies'

/** A payment to be made, independent of the command or page that requests it. */
export interface PaymentIntent {
  readonly username: string
  /** Null when the user pays in the dashboard. */
  readonly connectionId: string | null
  /** Scoped to the connection: two apps of one user may use the same key. */
  readonly idempotencyKey: string | null
  /** The wallets that may pay, in order of preference, with their balances as last read. */
  readonly wallets: readonly WalletAccount[]
  readonly paymentHash: string
  /**
   * The request determines the hash, through an invoice or a preimage. An idempotency key stored with another hash then
   * belongs to another payment.
   */
  readonly hashIsGiven: boolean
  /** Null for a keysend. */
  readonly invoice: string | null
  readonly amountMsats: bigint
  /** Public key of the receiving node, hex. */
  readonly payee: string
  readonly description: string | null
  readonly descriptionHash: string | null
  readonly expiresAtSeconds: number | null
  /** Only for a keysend, like `metadata`. */
  readonly keysendPreimage: string | null
  readonly metadata: KeysendMetadata | null
  /** The terms of the quote; without a quote, the current rates apply. */
  readonly quote?: QuotedTerms
  /** The maximum debit that the user confirmed, in ledger units of the one wallet given. */
  readonly maxDebit?: bigint | undefined
  /** Read after `wallets`. When missing, it is read during the payment. */
  readonly invoiceStatus?: InvoiceStatus | undefined
  /** No payment with this hash existed a moment ago. The statement that holds the money checks again. */
  readonly isNew?: boolean
}

/** Destination and records of a keysend, as they are stored and shown. */
export interface KeysendMetadata {
  readonly destination: string
  readonly tlv_records: readonly TlvRecord[]
}

/** The terms of a quote, in ledger units of its wallet. */
export interface QuotedTerms {
  readonly quoteId: bigint
  readonly debit: bigint
  /** The VASP's fee, part of the debit. */
  readonly vaspFee: bigint
  readonly feeLimitMsats: bigint
  readonly rateSnapshotId: string
}

/** A payment that succeeded, as stored: enough to state its amount in any budget currency. */
export interface Paid {
  readonly preimage: string
  readonly debit: bigint
  readonly walletCode: CurrencyCode
  readonly rateSnapshotId: string
}

/** A payment whose outcome is not known yet. */
export interface PendingPayment {
  readonly paymentId: bigint
}

/** The wallet that an invoice of this VASP credits. */
export interface InvoicePayee {
  readonly username: string
  readonly accountId: bigint
  readonly code: CurrencyCode
  /** Set for a fixed-rate invoice. Otherwise the amount is converted when the invoice is paid. */
  readonly fixedCredit: FixedCredit | undefined
}

export interface OwnPayment extends Paid {
  readonly amountMsats: bigint
}

/** The state of an invoice as read before a payment. */
export interface InvoiceStatus {
  /** Undefined when it is not an invoice of this VASP. */
  readonly payee: InvoicePayee | undefined
  /** Undefined when the payer chooses. */
  readonly amountMsats: bigint | undefined
  /** Paid, by any payer. */
  readonly settled: boolean
  /** By the database's clock. */
  readonly expired: boolean
  /** This user's own successful payment with this hash. */
  readonly own: OwnPayment | undefined
}
