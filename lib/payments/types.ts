import type { WalletAccount } from '../ledger/accounts'
import type { TlvRecord } from '../lightning/node'
import type { CurrencyCode } from '../money/currencies'
import type { AgreedCredit } from '../invoices/fixed-rate'

/** Everything that a payment is to be, whatever command or page asks for it. */
export interface PaymentIntent {
  readonly username: string
  /** Null when the user pays in the dashboard. */
  readonly connectionId: string | null
  /** The caller's own, so two apps of one user may use the same. */
  readonly idempotencyKey: string | null
  /** Those that may pay, by preference, with their balances as last read. */
  readonly wallets: readonly WalletAccount[]
  readonly paymentHash: string
  /** The request named the hash, by an invoice or a preimage. A key that belongs to another hash is then another payment's. */
  readonly hashIsGiven: boolean
  /** Null for a keysend. */
  readonly invoice: string | null
  readonly amountMsats: bigint
  /** Public key of the node that is paid, hex. */
  readonly payee: string
  readonly description: string | null
  readonly descriptionHash: string | null
  readonly expiresAtSeconds: number | null
  /** Of a keysend, as is `metadata`. */
  readonly keysendPreimage: string | null
  readonly metadata: KeysendMetadata | null
  /** What a quote promised; without it the payment costs what it is worth now. */
  readonly quote?: QuotedTerms
  /** The most that the user agreed to, in ledger units of the one wallet given. */
  readonly maxDebit?: bigint | undefined
  /** As it was read after `wallets`, where it was; otherwise it is read. */
  readonly invoiceStatus?: InvoiceStatus | undefined
  /** No payment of this hash was found a moment ago. The statement that holds the money refuses if that has changed. */
  readonly isNew?: boolean
}

/** What a keysend carries, in the spelling in which it is stored and shown. */
export interface KeysendMetadata {
  readonly destination: string
  readonly tlv_records: readonly TlvRecord[]
}

/** The terms of a quote, in ledger units of its wallet. */
export interface QuotedTerms {
  readonly quoteId: bigint
  readonly debit: bigint
  /** Our fee, a part of the debit. */
  readonly vaspFee: bigint
  readonly feeLimitMsats: bigint
  readonly rateSnapshotId: string
}

/** A payment that succeeded, as it is stored: enough to answer for any budget currency. */
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
  readonly accountId: bigint
  readonly code: CurrencyCode
  /** Of a fixed-rate invoice; otherwise the amount is converted when it is paid. */
  readonly agreed: AgreedCredit | undefined
}

export interface OwnPayment extends Paid {
  readonly amountMsats: bigint
}

/** What is known of an invoice before it is paid. */
export interface InvoiceStatus {
  /** Undefined when it is not an invoice of this VASP. */
  readonly payee: InvoicePayee | undefined
  /** Undefined when the payer chooses. */
  readonly amountMsats: bigint | undefined
  /** It is paid, by whomever. */
  readonly settled: boolean
  /** By the database's clock. */
  readonly expired: boolean
  /** This user's own finished payment of the hash. */
  readonly own: OwnPayment | undefined
}
