import type { Line } from '../ledger/conversion'
import type { Failure, Keysend } from './node'

/** Money that has reached, or is about to reach, this VASP's node. */
export interface IncomingPayment {
  readonly paymentHash: string
  readonly amountMsats: bigint
  /** The key of the node's `accounts` that it comes through; undefined where the node does not tell. */
  readonly account: string | undefined
  /** The whole invoice, where the payer named it: another one with our hash is not ours. */
  readonly invoice?: string
  readonly keysend?: Keysend
}

/** How a payment would be credited. Decided before it is taken; whether it is taken, the database decides. */
export interface CreditPlan {
  readonly username: string
  readonly walletId: bigint
  /** Ledger units of the wallet. */
  readonly credited: bigint
  /** The whole entry: what the peer owes us then, the wallet, exchange and rounding. */
  readonly lines: readonly Line[]
  readonly description: string | null
  /** Of a keysend, as it is shown. */
  readonly metadata: unknown
}

/** What a node asks the ledger before it takes money. */
export interface Receiver {
  planCredit(incoming: IncomingPayment): Promise<CreditPlan | { readonly failure: Failure }>
}
