import type { Line } from '../ledger/conversion'
import type { Failure, Keysend } from './node'

/** A payment that has reached, or is about to reach, this VASP's node. */
export interface IncomingPayment {
  readonly paymentHash: string
  readonly amountMsats: bigint
  /** The key in the node's `accounts` through which the payment arrives; undefined when the node does not report it. */
  readonly account: string | undefined
  /** The whole invoice, if the payer sent it: another invoice with the same hash is not this VASP's. */
  readonly invoice?: string
  readonly keysend?: Keysend
}

/** How a payment will be credited. The database decides afterwards whether the payment is accepted. */
export interface CreditPlan {
  readonly username: string
  readonly walletId: bigint
  /** Ledger units of the wallet. */
  readonly credited: bigint
  /** The whole journal entry: node account, wallet, exchange and rounding. */
  readonly lines: readonly Line[]
  readonly description: string | null
  /** Shown with the transaction. Set for keysend payments only. */
  readonly metadata: unknown
}

/** The ledger's part of receiving. A node calls it before it accepts a payment. */
export interface CreditPlanner {
  /**
   * Plans the credit of a payment and changes nothing. `failure` refuses the payment permanently.
   * @throws Error when the database is not available.
   */
  planCredit(incoming: IncomingPayment): Promise<CreditPlan | { readonly failure: Failure }>
}
