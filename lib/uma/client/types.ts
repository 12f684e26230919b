import type { RateSnapshot } from '../../ledger/rate-snapshot'
import type { DecodedInvoice } from '../../lightning/bolt11'
import type { Address } from '../address'
import type { Nonce } from '../nonces'
import type { Protocol, ReceiverCurrency, UmaPorts } from '../types'
import type { SuccessAction } from './success-action'

/** The result of a lookup: the receiver, and the currencies and amounts that it accepts. */
export interface Receiver {
  readonly address: Address
  readonly protocol: Protocol
  /** Our rates, taken when the lookup began: a quote for this receiver uses no other rates. */
  readonly rates: RateSnapshot
  /** In the receiver's order of preference; empty when it accepts none. Plain LNURL accepts satoshis only. */
  readonly currencies: readonly ReceiverCurrency[]
  readonly minMsats: bigint
  readonly maxMsats: bigint
  /** Longest comment that the receiver accepts, in characters; 0 for none. */
  readonly commentLength: number
  /** The nonce of the answer, if `lookUpForQuote` has left it to the statement that saves the quote. */
  readonly nonce?: Nonce | undefined
  /** Requests an invoice from the receiver's VASP. Returns only a checked answer. */
  requestInvoice(request: InvoiceRequest): Promise<InvoiceOffer>
}

export interface InvoiceRequest {
  /** The user of this VASP who pays. */
  readonly username: string
  /** The user's display name. Undefined: it is read when it is needed. */
  readonly payerName?: string | undefined
  /** One of the receiver's currencies. */
  readonly currency: ReceiverCurrency
  readonly lock:
    | { readonly side: 'sending'; readonly msats: bigint }
    /** Smallest units of `currency`. */
    | { readonly side: 'receiving'; readonly units: bigint }
  /** The time for which the price must be valid. */
  readonly expirySeconds: number
  readonly comment?: string | undefined
  /** The secret part of the URL at which the remote VASP may report what settled the payment. */
  readonly callbackId: string
}

/** An invoice and what it buys. The invoice's amount, expiry, network and signature were checked. */
export interface InvoiceOffer {
  readonly invoice: DecodedInvoice
  /** The invoice's amount: any locked millisatoshis exactly, except in version 0, which can lock units only. */
  readonly amountMsats: bigint
  /** Smallest units of the requested currency. */
  readonly receivingUnits: bigint
  /** The receiver's fee, a part of `amountMsats`. */
  readonly feeMsats: bigint
  /** The price of this offer, which may have moved since the lookup: passed on, and never used for money. */
  readonly msatsPerUnit: number
  /** What the payment's page shows after the payment. Absent or null: nothing. */
  readonly successAction?: SuccessAction | null
  /** The URL at which the receiver's VASP wants a report of what settled the payment. */
  readonly remoteCallback: string | null
  /** The nonce of a signed answer. The statement that saves the quote takes it. */
  readonly nonce?: Nonce | undefined
}

/**
 * Looks up how a user of this VASP can pay an address.
 * @throws VaspError 400 OTHER for an address that is invalid or not allowed, 404 NOT_FOUND for a receiver that does not
 * exist, 400 OTHER with a message that names the remote VASP when that VASP refuses or breaks the protocol.
 */
export type LookUp = (ports: UmaPorts, username: string, address: Address) => Promise<Receiver>
