/**
 * The Lightning node of this VASP, as any node software can provide it.
 *
 * Rules that an implementation must keep; `test/lightning/lightning-node-suite.ts` checks them.
 * - **The id identifies a send.** `send` pays once for a `sendId`, across restarts and processes. The node may identify payments by
 *   hash only. Even then it never reports the result of another send of the same hash for this one.
 * - **A final outcome stays.** Once `succeeded` or `failed` has been returned for a `sendId`, every later call returns it. `failed`
 *   means that this send can no longer move money. Any other state is `unknown`.
 * - **Given up means never sent.** A `sendId` that was tracked before `send` recorded it is `failed` permanently. After
 *   `not-found`, a request in transit must arrive or expire well within a minute.
 * - **Settled internally means cancelled.** After `cancelInvoice` has returned `cancelled`, no other node can pay the invoice. A node
 *   without `cancelInvoice` reads the invoice in the ledger's database, where the settlement closed it, before it accepts a
 *   payment.
 * - **Events are delivered at least once.** An event is repeated when its listener rejects. Events with a cursor are delivered one
 *   at a time.
 */
export interface LightningNode {
  readonly identity: NodeIdentity
  /** Keys of the nodes that have a ledger account: each peer of a simulated node, or the VASP's own node. */
  readonly accounts: readonly string[]
  /**
   * Creates an invoice that reveals the given preimage when it is paid.
   * @throws Error when the node is not available. The invoice may exist at the node nevertheless; it expires by itself.
   */
  signInvoice(terms: InvoiceTerms): Promise<SignedInvoice>
  /**
   * Makes an invoice that was settled inside this VASP unpayable. May be repeated. `settled`: another node paid it first.
   * Undefined where the invoices of the node are rows of the ledger's database.
   * @throws Error when the node is not available: call it again.
   */
  readonly cancelInvoice: ((paymentHash: string) => Promise<'cancelled' | 'settled'>) | undefined
  /** The account, one of `accounts`, that a payment to this node is booked to; undefined when there is no route. */
  accountFor(payee: string): string | undefined
  /**
   * A hint for quotes and previews, with the expected fee; undefined when no route is known. `send` decides. The invoice may name the
   * last part of a route that is not public.
   */
  mayReach(payee: string, amountMsats: bigint, invoice?: string): Promise<{ readonly feeMsats: bigint } | undefined>
  /** Pays an invoice or a keysend. Never rejects. Answers within a minute: a payment in progress is `unknown` and continues. */
  send(payment: OutgoingPayment): Promise<SendOutcome>
  /** The outcome of a send, for payments whose result the sender does not know. Never rejects. */
  track(payment: TrackedPayment): Promise<TrackOutcome>
  /**
   * Calls the listener with incoming payments and outcomes of sends. The listener should resolve when the event is booked, and
   * must accept events that it booked before.
   * @param after Cursor of the last event that was booked; without one, incoming payments from now on are reported.
   * @returns a function that stops the calls.
   */
  listen(listener: (event: NodeEvent) => Promise<void>, after?: string): () => void
  /**
   * Whether the node has lost a payment that it began: there is no result, and nothing is left that could carry it. An operator may
   * give it up; the node is still asked about it. Undefined for a node whose peers know each result.
   * @throws Error when the node is not available.
   */
  readonly isStranded?: (payment: Pick<TrackedPayment, 'sendId' | 'paymentHash'>) => Promise<boolean>
  /** `starting`: the node answers but accepts no calls yet. `away`: it does not answer. */
  state(): Promise<'ready' | 'starting' | 'away'>
  /** For operators. Undefined for a node without channels. @throws Error when the node is not available. */
  readonly report?: () => Promise<NodeReport>
  /** Closes connections and stops all listeners. Payments in progress continue at the node. */
  close(): Promise<void>
}

export type Network = 'mainnet' | 'testnet' | 'signet' | 'regtest' | 'simnet'

/** Constant while the process runs. */
export interface NodeIdentity {
  /** 33 bytes compressed, hex: the `pubkey` of `/info`, and the payee of every invoice signed here. */
  readonly publicKeyHex: string
  readonly network: Network
  /** The smallest payment to another node. */
  readonly minimumMsats: bigint
}

export interface NodeReport {
  /** The node has read the chain to its end. */
  readonly isSynced: boolean
  readonly activeChannels: number
  readonly inactiveChannels: number
  /** What the active channels can send and receive in all, in whole satoshis. */
  readonly outboundSats: number
  readonly inboundSats: number
  /** Outgoing payments without a result. */
  readonly paymentsInFlight: number
}

export interface InvoiceTerms {
  /** 32 bytes, hex. Used for one invoice only. */
  readonly preimageHex: string
  /** Undefined: the payer chooses. */
  readonly amountMsats: bigint | undefined
  readonly expirySeconds: number
  /** An empty description counts as a description. */
  readonly purpose: { readonly description: string } | { readonly descriptionHash: string }
}

/** The payment secret and the times are the node's. */
export interface SignedInvoice {
  /** BOLT 11, lower case. */
  readonly invoice: string
  readonly paymentHash: string
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number
}

export interface TrackedPayment {
  /** The payment's id in the ledger: one for each attempt. */
  readonly sendId: bigint
  readonly paymentHash: string
  /** The ledger account that pays: a key in `accounts`, or that of a peer in earlier settings. */
  readonly account: string
}

export interface OutgoingPayment extends TrackedPayment {
  /** Public key of the node that is paid, hex. */
  readonly payee: string
  readonly amountMsats: bigint
  /** Maximum fee of the route. If the fee is higher, this VASP bears the excess. */
  readonly feeLimitMsats: bigint
  readonly what: { readonly kind: 'invoice'; readonly invoice: string } | ({ readonly kind: 'keysend' } & Keysend)
}

/** bLIP-3: the data for the final node. */
export interface Keysend {
  /** 32 bytes, hex. */
  readonly preimage: string
  readonly records: readonly TlvRecord[]
}

export interface TlvRecord {
  readonly type: number
  /** Hex. */
  readonly value: string
}

/**
 * Why a payment failed permanently.
 *
 * | word         | meaning                                                                      |
 * |--------------|------------------------------------------------------------------------------|
 * | no-route     | no route leads to the payee                                                  |
 * | fee-limit    | each route that leads to the payee costs more than the fee limit             |
 * | away         | the payee's node did not answer before anything was sent                     |
 * | unknown      | the payee has no such invoice or user                                        |
 * | expired      | the invoice had expired                                                      |
 * | paid         | the invoice was paid before                                                  |
 * | amount       | the payee wants a different amount                                           |
 * | late         | the payment arrived after its deadline                                       |
 * | limit        | the payee accepts no more from this VASP at the moment                       |
 * | no-liquidity | our own node's channels lack liquidity; the user's balance is not the cause  |
 * | timeout      | no route was found in time                                                   |
 * | other        | the node gave a reason that is not in this list                              |
 * | never-sent   | the payment was given up before it was sent                                  |
 * | gone         | an operator found that the payee's node is permanently gone                  |
 */
export const FAILURES = [
  'no-route',
  'fee-limit',
  'away',
  'unknown',
  'expired',
  'paid',
  'amount',
  'late',
  'limit',
  'no-liquidity',
  'timeout',
  'other',
  'never-sent',
  'gone',
] as const
export type Failure = (typeof FAILURES)[number]

/** `unknown`: the payment may still succeed. The hold stays until the node gives a final answer. */
export type SendOutcome =
  | { readonly kind: 'succeeded'; readonly preimage: string; readonly feeMsats: bigint }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unknown' }

/** `saidBy`: public key of the node that answered this very call and has no record of the send. */
export type TrackOutcome = SendOutcome | { readonly kind: 'not-found'; readonly saidBy: string }

export type NodeEvent =
  | {
      readonly kind: 'received'
      readonly paymentHash: string
      readonly amountMsats: bigint
      /** The key in `accounts` through which the payment came; undefined when the node does not report it. */
      readonly account: string | undefined
      /** Set for a payment without an invoice. */
      readonly keysend?: Keysend
      /** Set when the transaction that received the payment has also booked it, in the ledger's database. */
      readonly isBooked?: true
      /** Position after this event, to continue from. */
      readonly cursor?: string
    }
  | { readonly kind: 'sent'; readonly sendId: bigint; readonly outcome: SendOutcome }
  /** Where listening without a cursor begins. The next start continues there, and so misses no event in between. */
  | { readonly kind: 'position'; readonly cursor: string }
