import type { NewInvoice } from './bolt11'

/**
 * This VASP's Lightning node. It may be asked from several instances at once, and it keeps books of its own: what it has
 * said about a payment once, it says again. No call is made inside a database transaction.
 */
export interface LightningNode {
  /** 33 bytes compressed, hex: the `pubkey` of `/info`, and the payee of every invoice signed here. */
  readonly publicKeyHex: string
  /** Signs an invoice (BOLT 11) that pays the given hash. Nothing is stored: the invoices table is. */
  signInvoice(invoice: Omit<NewInvoice, 'nodeSecretHex'>): string
  /** The account that payments to this node go through: the key of a peer; undefined where there is no route. */
  routeTo(payeeHex: string): string | undefined
  /**
   * Pays an invoice or a keysend, once for a `sendId`, however often it is asked; a `sendId` that was tracked before it was
   * ever sent is refused. Never throws: what goes wrong is an outcome.
   */
  send(payment: OutgoingPayment): Promise<SendOutcome>
  /**
   * What became of a send. One that this node never began is refused from then on, where the node can promise that;
   * otherwise it is `not-found`.
   */
  track(payment: TrackedPayment): Promise<TrackOutcome>
  /**
   * Tells what the node has received and how its sends ended, also what was told before, in any order; the listener books
   * each once. Returns the way to stop listening.
   */
  listen(listener: (event: NodeEvent) => Promise<void>): () => void
}

export interface TrackedPayment {
  /** The payment's id in the ledger. */
  readonly sendId: bigint
  readonly paymentHash: string
  /** Public key of the node that is paid, hex. */
  readonly payee: string
}

export interface OutgoingPayment extends TrackedPayment {
  readonly amountMsats: bigint
  /** What the route may take on top at most, in msats. */
  readonly feeLimitMsats: bigint
  /** The whole invoice; absent for a keysend, which brings its preimage and records. */
  readonly invoice?: string
  readonly keysend?: Keysend
}

/** bLIP-3: what travels to the last node. */
export interface Keysend {
  readonly preimage: string
  readonly records: readonly TlvRecord[]
}

export interface TlvRecord {
  readonly type: number
  /** Hex. */
  readonly value: string
}

/**
 * Why a payment failed for good. `no-route`: nobody leads there; `away`: its node did not
 * answer before anything was sent; `unknown`: the payee knows no such invoice or person;
 * `expired`; `paid`: it was paid before; `amount`: the payee wants another amount; `late`: it came after its time;
 * `limit`: the payee takes no more from us now; `never-sent`: it was given up before it left; `gone`: its node is gone for
 * good, as a person has found.
 */
export const FAILURES = [
  'no-route',
  'away',
  'unknown',
  'expired',
  'paid',
  'amount',
  'late',
  'limit',
  'never-sent',
  'gone',
] as const
export type Failure = (typeof FAILURES)[number]

/** `unknown` means that it may still succeed: nothing is given back before the node says more. */
export type SendOutcome =
  | { readonly kind: 'succeeded'; readonly preimage: string; readonly feeMsats: bigint }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unknown' }

/** `saidBy`: public key of the node that knows nothing of it, as that node told it with this very answer. */
export type TrackOutcome = SendOutcome | { readonly kind: 'not-found'; readonly saidBy: string }

export type NodeEvent =
  | {
      readonly kind: 'received'
      readonly paymentHash: string
      readonly amountMsats: bigint
      /** Public key of the peer that it came from, where the node tells. */
      readonly peer: string | undefined
    }
  | { readonly kind: 'sent'; readonly sendId: bigint; readonly outcome: SendOutcome }
