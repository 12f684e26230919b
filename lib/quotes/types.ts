import type { LightningNode } from '../lightning/node'
import type { CurrencyCode } from '../money/currencies'
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

/** The columns of `Quote`, of a quote `q` and its wallet `w`. */
export const QUOTE_COLUMNS = `q.payment_hash as "paymentHash", q.receiver_address as "receiverAddress", q.protocol, q.locked_side as "lockedSide",
  w.currency_code as "sendingCode", q.total_sending_amount as "totalSendingAmount", q.fees, q.receiving_currency as "receivingCurrency",
  q.total_receiving_amount as "totalReceivingAmount", q.multiplier, q.amount_msats as "amountMsats", q.comment, q.uma_invoice as "umaInvoice",
  q.success_action as "successAction", q.created_at as "createdAt", q.expires_at as "expiresAt"`
