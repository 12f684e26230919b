import type { TlvRecord } from '../node'

/**
 * What this VASP needs of LND. Bytes are lower-case hex and amounts are millisatoshis. A call rejects with `LndError` when LND
 * answers an error, with `NotSent` when the request did not leave this process, and with another Error when the outcome is not known.
 */
export interface Lnd {
  getInfo(): Promise<LndInfo>
  listChannels(): Promise<readonly LndChannel[]>
  /** Returns the invoice, BOLT 11. */
  addInvoice(terms: NewLndInvoice): Promise<string>
  lookUpInvoice(paymentHash: string): Promise<LndInvoice>
  settleInvoice(preimage: string): Promise<void>
  cancelInvoice(paymentHash: string): Promise<void>
  /** All invoices, in the order in which they were added. */
  invoices(): AsyncIterable<LndInvoice>
  /** The same, only those that are open or held. */
  pendingInvoices(): AsyncIterable<LndInvoice>
  /**
   * New invoices, and those settled after this index: first the past ones, in order. Index 0 means future ones only. LND shows
   * nothing before the first event, not even that it has accepted the subscription. Ends when LND stops, rejects when it breaks.
   */
  subscribe(settleIndex: bigint, signal: AbortSignal): AsyncIterable<LndInvoice>
  /** Returns the fee of a route. */
  queryRoutes(destination: string, amountMsat: bigint): Promise<bigint>
  /** Starts a payment and resolves when it is final, however long that takes. Goes on in LND when the connection is lost. */
  send(request: SendRequest): Promise<LndPayment>
  /** The latest payment of the hash. */
  track(paymentHash: string): Promise<LndPayment>
  /** Ends all calls and streams. */
  close(): void
}

export interface LndInfo {
  readonly publicKeyHex: string
  /** LND's name of it, such as `simnet`. */
  readonly network: string
  /** To the chain. */
  readonly isSynced: boolean
}

export interface LndChannel {
  /** Its short channel id, in decimals. */
  readonly id: string
  readonly isActive: boolean
  /** Without the reserve, in whole satoshis. */
  readonly outboundSats: number
  readonly inboundSats: number
  /** Payment hashes of its HTLCs. */
  readonly outgoing: readonly string[]
  readonly incoming: readonly string[]
}

export interface NewLndInvoice {
  readonly preimage: string
  readonly valueMsat: bigint | undefined
  readonly expirySeconds: number
  readonly purpose: { readonly description: string } | { readonly descriptionHash: string }
}

export interface LndInvoice {
  readonly paymentHash: string
  readonly preimage: string
  readonly state: 'OPEN' | 'ACCEPTED' | 'SETTLED' | 'CANCELED'
  /** 0 until it is settled. */
  readonly settleIndex: bigint
  readonly amountPaidMsat: bigint
  /** What is held for an accepted invoice. */
  readonly heldMsat: bigint
  readonly isKeysend: boolean
  /** What the payer sent along, without the preimage. */
  readonly records: readonly TlvRecord[]
}

export interface LndPayment {
  /** Grows with each payment of this LND, also with another attempt at the same hash. */
  readonly paymentIndex: bigint
  readonly status: 'IN_FLIGHT' | 'SUCCEEDED' | 'FAILED'
  readonly begunAtSeconds: number
  /** Ids of the channels through which its attempts without a result left. */
  readonly leftThrough: readonly string[]
  /** Means nothing unless the status is FAILED. */
  readonly failureReason: string
  /** Means nothing unless the status is SUCCEEDED. */
  readonly preimage: string
  readonly feeMsat: bigint
}

export interface SendRequest {
  readonly paymentHash: string
  readonly paymentRequest?: string
  readonly keysend?: { readonly destination: string; readonly preimage: string; readonly records: readonly TlvRecord[] }
  /** Set unless the invoice names an amount. */
  readonly amountMsat?: bigint
  readonly feeLimitMsat: bigint
}

/** LND read the request and answered an error. It says nothing about a payment. */
export class LndError extends Error {
  override readonly name = 'LndError'
  constructor(
    /** gRPC, such as 5 for "not found". Most errors have code 2, and differ by their message only. */
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** The request did not leave this process. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
  constructor(reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason), { cause: reason })
  }
}
