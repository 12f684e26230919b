import type { LightningNode } from '../lightning/node'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import type { Clock } from '../platform/clock'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { RateLimits } from '../platform/http/rate-limits'
import type { Ids } from '../platform/ids'
import type { SuccessAction } from '../uma/client/success-action'
import type { UmaInvoices } from '../uma/invoices/open'
import type { Protocol, UmaPorts } from '../uma/types'

/** The dependencies for creating a quote. */
export interface QuotePorts {
  readonly db: Database
  readonly settings: Settings
  readonly clock: Clock
  readonly ids: Ids
  readonly node: LightningNode
}

/** `QuotePorts`, with what requests to the receiver's VASP need: UMA, and their own limit. */
export interface RemoteQuotePorts extends QuotePorts, UmaPorts {
  readonly limits: Pick<RateLimits, 'runOutbound'>
  /** Undefined with `UMA_INVOICES=off`. */
  readonly umaInvoices: Pick<UmaInvoices, 'readUmaInvoice'> | undefined
}

/** The receiver's currency as the receiver's VASP describes it: the code may be unknown to this VASP. */
export interface NamedCurrency {
  readonly code: string
  readonly symbol: string
  readonly name: string
  /** Decimal places of the smallest unit. */
  readonly decimals: number
}

/** A price promised to a user of this VASP. */
export interface Quote {
  readonly paymentHash: string
  readonly receiverAddress: string
  /** The protocol used with the receiver's VASP. */
  readonly protocol: Protocol
  readonly lockedSide: 'sending' | 'receiving'
  readonly sendingCode: CurrencyCode
  /** Smallest units of the sending currency, fees included. */
  readonly totalSendingAmount: bigint
  /** Smallest units of the sending currency: this VASP's fee and the receiver's fee. */
  readonly fees: bigint
  readonly receivingCurrency: NamedCurrency
  /** Smallest units of the receiving currency. */
  readonly totalReceivingAmount: bigint
  /** Smallest sending units for one smallest receiving unit. For display: nothing is computed from it. */
  readonly multiplier: number
  readonly amountMsats: bigint
  readonly comment: string | null
  /** The UMA invoice `uma1…` that the quote prices; null for a payment to an address. */
  readonly umaInvoice: string | null
  /** What the payment's page shows after the payment (LUD-09). */
  readonly successAction: SuccessAction | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Columns of a quote `q` and its wallet `w`. */
export const QUOTE_COLUMNS = `q.payment_hash, q.receiver_address, q.protocol, q.locked_side, w.currency_code, q.total_sending_amount,
  q.fees, q.receiving_currency, q.total_receiving_amount, q.multiplier, q.amount_msats, q.comment, q.uma_invoice, q.success_action, q.created_at, q.expires_at`

export interface QuoteRow {
  readonly payment_hash: string
  readonly receiver_address: string
  readonly protocol: Protocol
  readonly locked_side: 'sending' | 'receiving'
  readonly currency_code: string
  readonly total_sending_amount: bigint
  readonly fees: bigint
  readonly receiving_currency: NamedCurrency
  readonly total_receiving_amount: bigint
  readonly multiplier: number
  readonly amount_msats: bigint
  readonly comment: string | null
  readonly uma_invoice: string | null
  readonly success_action: SuccessAction | null
  readonly created_at: Date
  readonly expires_at: Date
}

export function toQuote(row: QuoteRow): Quote {
  if (!isCurrencyCode(row.currency_code)) throw new Error(`quote ${row.payment_hash} is in an unknown currency`)
  return {
    paymentHash: row.payment_hash,
    receiverAddress: row.receiver_address,
    protocol: row.protocol,
    lockedSide: row.locked_side,
    sendingCode: row.currency_code,
    totalSendingAmount: row.total_sending_amount,
    fees: row.fees,
    receivingCurrency: row.receiving_currency,
    totalReceivingAmount: row.total_receiving_amount,
    multiplier: row.multiplier,
    amountMsats: row.amount_msats,
    comment: row.comment,
    umaInvoice: row.uma_invoice,
    successAction: row.success_action,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
