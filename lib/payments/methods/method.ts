import type { Auditor } from '../../audit/auditor'
import type { HouseAccounts, NodeAccounts, WalletAccount } from '../../ledger/accounts'
import type { Rates, RateSnapshot, StoredRates } from '../../ledger/rate-snapshot'
import type { LightningNode } from '../../lightning/node'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import type { Log } from '../../platform/log'
import type { DebitOf } from '../debit'
import type { EventPorts } from '../payment-events'
import type { Paid, PaymentIntent, PendingPayment } from '../types'
import type { PaymentWorker } from '../worker'

/** The dependencies of a payment. */
export interface PaymentPorts extends EventPorts {
  readonly db: Database
  readonly node: LightningNode
  readonly house: HouseAccounts
  readonly nodeAccounts: NodeAccounts
  readonly rates: Rates
  readonly settings: Pick<Settings, 'maxOpenPaymentsPerUser' | 'paymentWaitSeconds'>
  readonly paymentWorker: PaymentWorker
  readonly log: Log
  readonly audit: Pick<Auditor, 'refusePaymentsAfterBreach'>
}

/** The dependencies of a payment method, with the rates of the payment, which `pay` reads once. */
export interface MethodPorts extends Omit<PaymentPorts, 'rates'> {
  /** The rates of a payment without a quote. A quote names its own. */
  readonly rates: RateSnapshot & StoredRates
}

/** One way to make a payment. `prepare` runs before every attempt, because another request may have changed what it read. */
export interface PaymentMethod {
  /**
   * Finds out whether this method makes the payment, and whether an earlier copy of the request has started it.
   * Undefined: this method does not reach the payee.
   * @throws VaspError 400 or 404 when no method can make this payment.
   */
  prepare(ports: MethodPorts, intent: PaymentIntent, isFirstTry: boolean): Promise<Prepared | undefined>
}

export type Prepared =
  | { readonly kind: 'earlier'; readonly result: Paid | PendingPayment }
  | {
      readonly kind: 'ready'
      readonly debitOf: DebitOf
      /**
       * Takes the money from a wallet that covers the debit, in one transaction. `overdrawn`: another payment emptied the
       * wallet first. `repeated`: a copy of this request was first.
       */
      start(wallet: WalletAccount): Promise<Paid | PendingPayment | 'overdrawn' | 'repeated'>
    }
